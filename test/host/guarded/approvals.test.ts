/** Tool calls of a host that a rule lets another person approve: never the user in place of that person. */
import { createServer, tool, toText } from 'tenon';
import { createApprovals, createPolicy } from 'tenon/guard';
import { createHost, type HostOptions } from 'tenon/host';
import { createMemoryStore } from 'tenon/store';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { memoryAudit } from '../../guard/server/kit.ts';

const rules = `
version: 1
rules:
  - { id: open, allow: [list, call], to: any, on: any }
  - { id: mine, ask: [call], to: any, on: { tool: note } }
  - { id: ops, ask: [call], to: any, on: { tool: deploy }, approver: { role: ops } }
`;
const ada = { issuer: 'https://id.example.com', subject: 'ada' };
const grace = { issuer: 'https://id.example.com', subject: 'grace', roles: ['ops'] };

function hosting(options: Partial<HostOptions> = {}) {
  const ran: string[] = [];
  const asked: string[] = [];
  const run = (name: string) =>
    tool({ inputSchema: z.object({ env: z.string() }) }, ({ env }) => {
      ran.push(`${name} ${env}`);
      return 'done';
    });
  const server = createServer({ name: 'ops', version: '1', tools: { deploy: run('deploy'), note: run('note') } });
  const store = createMemoryStore().approvals;
  const approvals = createApprovals({ store, waitMs: 0 });
  const audit = memoryAudit();
  const makeHost = (more: Partial<HostOptions> = {}) => {
    const host = createHost({
      servers: { ops: server },
      policy: createPolicy(rules),
      principal: ada,
      audit,
      approvals,
      consent: { tool: ({ tool: name }) => (asked.push(name), 'allow') },
      ...options,
      ...more,
    });
    onTestFinished(() => host.close());
    return host;
  };
  return { makeHost, host: makeHost(), ran, asked, approvals, audit, server };
}

it('a call waits for the other person, is sent once after the approval, and then asks again, also from another host', async () => {
  const { host, makeHost, ran, asked, approvals, audit } = hosting();
  const call = (one = host) => one.tools.call('ops__deploy', { env: 'test' });
  await expect(call()).rejects.toMatchObject({
    code: 'approval-pending',
    details: { server: 'ops', tool: 'deploy', approval: { id: expect.any(String), expiresAt: expect.any(Number) } },
  });
  const [waiting] = await approvals.list(grace);
  expect(waiting).toMatchObject({
    tool: 'deploy',
    server: 'ops',
    arguments: { env: 'test' },
    requester: { subject: 'ada' },
  });
  await expect(approvals.decide(String(waiting?.id), 'approve', { ...ada, roles: ['ops'] })).rejects.toMatchObject({
    code: 'permission-denied',
  });
  await approvals.decide(String(waiting?.id), 'approve', grace);
  expect(toText(await call(makeHost()))).toBe('done');
  await expect(call()).rejects.toMatchObject({ code: 'approval-pending' });
  expect([ran, asked]).toEqual([['deploy test'], []]);
  expect(audit.events.filter(({ kind }) => kind.startsWith('approval'))).toMatchObject([
    { kind: 'approval-requested', what: { approval: waiting?.id, tool: 'deploy', server: 'ops' } },
    { kind: 'approval-decided', who: { subject: 'grace' }, decision: { outcome: 'approve' } },
    { kind: 'approval-used', what: { approval: waiting?.id }, decision: { rule: 'ops' } },
    { kind: 'approval-requested' },
  ]);
});

it('a call that was denied is not sent', async () => {
  const { host, ran, approvals } = hosting();
  await host.tools.call('ops__deploy', { env: 'test' }).catch(() => undefined);
  const [waiting] = await approvals.list(grace);
  await approvals.decide(String(waiting?.id), 'deny', grace, 'Freeze');
  await expect(host.tools.call('ops__deploy', { env: 'test' })).rejects.toMatchObject({
    code: 'approval-denied',
    message: expect.stringContaining('Freeze'),
    details: { reason: 'approval-denied' },
  });
  expect(ran).toEqual([]);
});

it('a call that waits is sent as soon as it is approved, and not if it is cancelled', async () => {
  const store = createMemoryStore().approvals;
  const approvals = createApprovals({
    store,
    waitMs: 60_000,
    onRequest: ({ id }) => approvals.decide(id, 'approve', grace),
  });
  const { host, ran } = hosting({ approvals });
  expect(toText(await host.tools.call('ops__deploy', { env: 'test' }))).toBe('done');
  const cancelled = new AbortController();
  const silent = createApprovals({ waitMs: 60_000, onRequest: () => cancelled.abort() });
  const other = hosting({ approvals: silent });
  const call = other.host.tools.call('ops__deploy', { env: 'test' }, { signal: cancelled.signal });
  await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  expect([ran, other.ran]).toEqual([['deploy test'], []]);
});

it('without approvals the call is denied, and the user is not asked in place of the other person', async () => {
  const { host, ran, asked } = hosting({ approvals: undefined as never });
  await expect(host.tools.call('ops__deploy', { env: 'test' })).rejects.toMatchObject({
    code: 'consent-denied',
    details: { by: 'no-approvals', rule: 'ops' },
  });
  await expect(host.tools.round('ops__deploy', { env: 'test' }, { consent: 'allow' })).rejects.toMatchObject({
    details: { by: 'no-approvals' },
  });
  expect([ran, asked]).toEqual([[], []]);
  expect(toText(await host.tools.call('ops__note', { env: 'x' }))).toBe('done');
  expect(asked).toEqual(['note']);
});

it('a round does not wait, and says what it waits for', async () => {
  const { host, approvals, ran } = hosting({ approvals: undefined as never });
  const { makeHost } = hosting();
  expect(await makeHost().tools.round('ops__deploy', { env: 'test' })).toMatchObject({
    resultType: 'approval',
    approval: { id: expect.any(String) },
  });
  expect([ran, await approvals.list(grace)]).toEqual([[], []]);
  await host.close();
});

it('a call is not sent if the policy denies it, or the tool has changed, after the approval', async () => {
  const policy = (() => {
    let current = createPolicy(rules);
    return {
      decide: (request: never) => current.decide(request),
      evaluate: (request: never) => current.evaluate(request),
      explain: (id: string) => current.explain(id),
      change: (text: string) => void (current = createPolicy(text)),
    };
  })();
  const { host, ran, approvals, server } = hosting({ policy: policy as never });
  const call = () => host.tools.call('ops__deploy', { env: 'test' });
  await call().catch(() => undefined);
  await approvals.decide(String((await approvals.list(grace))[0]?.id), 'approve', grace);
  policy.change(
    rules.replace('id: mine, ask: [call], to: any, on: { tool: note }', 'id: no, deny: [call], to: any, on: any'),
  );
  await expect(call()).rejects.toMatchObject({ code: 'permission-denied' });
  policy.change(rules);
  server.update(({ tools }) => {
    tools.deploy = tool({ description: 'Deploys everything', inputSchema: z.object({ env: z.string() }) }, () => 'all');
  });
  await host.tools.list();
  await expect(call()).rejects.toMatchObject({ code: 'approval-pending' });
  expect(ran).toEqual([]);
});

it('an approval is none for another server under the same name', async () => {
  const store = createMemoryStore().approvals;
  const approvals = createApprovals({ store, waitMs: 0 });
  const { makeHost, ran } = hosting({ approvals });
  const deploy = tool({ inputSchema: z.object({ env: z.string() }) }, () => 'elsewhere');
  const other = createServer({ name: 'production', version: '1', tools: { deploy } });
  const call = (host: ReturnType<typeof makeHost>) => host.tools.call('ops__deploy', { env: 'test' });
  await expect(call(makeHost())).rejects.toMatchObject({ code: 'approval-pending' });
  const [waiting] = await approvals.list(grace);
  await approvals.decide(String(waiting?.id), 'approve', grace);
  await expect(call(makeHost({ servers: { ops: other } }))).rejects.toMatchObject({ code: 'approval-pending' });
  expect(toText(await call(makeHost()))).toBe('done');
  expect(ran).toEqual(['deploy test']);
});
