/** A call that a rule asks about runs after exactly this call was approved, in every protocol version. */
import { toText } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { createTestConnection } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { ada, approving, eve, grace, pendingIn, rules } from './kit.ts';

/** A caller of the first two versions has no forms. */
const [withoutForms, withForms] = [protocolVersions.slice(0, 2), protocolVersions.slice(2)];

const waiting = /^Waiting for approval [2-9A-Z]{10}$/;

const opening =
  (protocolVersion: (typeof protocolVersions)[number]) =>
  (server: Parameters<typeof createTestConnection>[0], more: object = {}) =>
    createTestConnection(server, { protocolVersion, principal: ada, ...more });

describe.each(protocolVersions.map((version) => [version]))('in %s', (protocolVersion) => {
  const open = opening(protocolVersion);

  it('a call waits for another person, runs once after the approval, and then asks again', async () => {
    const { server, guarded, audit, ran } = approving();
    const { client, close } = await open(server);
    const first = await client.tools.call('deploy', { env: 'test' });
    const { id } = pendingIn(first) as { id: string };
    expect(first.isError).toBe(true);
    expect(toText(first)).toMatch(
      new RegExp(`^Nothing has run\\. Another person .* approval ${id} is open until \\d{4}-`),
    );
    expect(await guarded.approvals.list(grace)).toMatchObject([
      {
        id,
        state: 'waiting',
        tool: 'deploy',
        server: 'ops',
        arguments: { env: 'test' },
        requester: { subject: 'ada' },
        rule: 'ops',
      },
    ]);
    await guarded.approvals.decide(id, 'approve', grace);
    const second = await client.tools.call('deploy', { env: 'test' });
    expect([second.isError, toText(second)]).toEqual([undefined, 'deploy has run']);
    const third = pendingIn(await client.tools.call('deploy', { env: 'test' }));
    expect(third?.id).not.toBe(id);
    expect(ran).toEqual(['deploy {"env":"test"}']);
    expect(await guarded.approvals.get(id, grace)).toMatchObject({
      state: 'used',
      decision: { by: { subject: 'grace' } },
    });
    await close();
    expect(audit.kinds().filter((kind) => kind.startsWith('approval') || kind.startsWith('call'))).toEqual([
      'approval-requested',
      'approval-decided',
      'approval-used',
      'call-start',
      'call-end',
      'approval-requested',
    ]);
    const [requested, decided, used] = audit.events.filter(({ kind }) => kind.startsWith('approval'));
    expect(requested).toMatchObject({
      who: { subject: 'ada' },
      what: { approval: id, tool: 'deploy', digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      decision: { rule: 'ops', effect: 'ask' },
      private: { arguments: { env: 'test' } },
    });
    expect(decided).toMatchObject({
      who: { subject: 'grace' },
      what: { approval: id },
      decision: { outcome: 'approve' },
    });
    expect(used).toMatchObject({
      who: { subject: 'ada' },
      what: { approval: id },
      decision: { approvedBy: { subject: 'grace' } },
    });
  });

  it('a call that was denied is refused until the denial expires', async () => {
    const { server, guarded, ran } = approving();
    const { client, close } = await open(server);
    const { id } = pendingIn(await client.tools.call('deploy', { env: 'test' })) as { id: string };
    await guarded.approvals.decide(id, 'deny', grace, 'Not on a Friday');
    await expect(client.tools.call('deploy', { env: 'test' })).rejects.toMatchObject({
      reason: 'permission-denied',
      message: expect.stringContaining('Not on a Friday'),
      data: { reason: 'approval-denied', approval: id },
    });
    expect(pendingIn(await client.tools.call('deploy', { env: 'dev' }))).toBeDefined();
    expect(ran).toEqual([]);
    await close();
  });

  it('a call that waits runs as soon as it is approved, and the client gets progress meanwhile', async () => {
    const { server, guarded, ran } = approving({
      waitMs: 60_000,
      onRequest: ({ id }) => guarded.approvals.decide(id, 'approve', grace),
    });
    const { client, close } = await open(server);
    const progress: (string | undefined)[] = [];
    const result = await client.tools.call('deploy', {}, { onProgress: ({ message }) => void progress.push(message) });
    expect(toText(result)).toBe('deploy has run');
    expect(ran).toEqual(['deploy {"env":"prod"}']);
    // Progress has no message in the first version.
    expect(progress[0] ?? '').toMatch(protocolVersion === '2024-11-05' ? /^$/ : waiting);
    await close();
  });

  it('a call of something without a rule that asks runs as before', async () => {
    const { server, ran, audit } = approving();
    const { client, close } = await open(server);
    expect(toText(await client.tools.call('status'))).toBe('status has run');
    await close();
    expect(ran).toHaveLength(1);
    expect(audit.kinds()).toEqual(['authentication', 'call-start', 'call-end']);
  });
});

describe.each(withForms.map((version) => [version]))('in %s, with forms,', (protocolVersion) => {
  const open = opening(protocolVersion);

  it('the caller approves its own call by a form', async () => {
    const { server, ran, audit } = approving();
    const { client, close, messages } = await open(server, {
      handlers: { elicitForm: [{ decision: 'approve' }, { decision: 'approve' }] },
    });
    expect(toText(await client.tools.call('self', { env: 'a\u202eb' }))).toBe('self has run');
    expect(JSON.stringify(messages)).toContain('Run self of ops once, with exactly these arguments?');
    expect(JSON.stringify(messages)).toContain(String.raw`a\\u202eb`);
    expect(toText(await client.tools.call('self', { env: 'a\u202eb' }))).toBe('self has run');
    await close();
    expect(ran).toHaveLength(2);
    expect(audit.kinds().filter((kind) => kind.startsWith('approval'))).toEqual([
      'approval-requested',
      'approval-decided',
      'approval-used',
      'approval-requested',
      'approval-decided',
      'approval-used',
    ]);
  });

  it('a caller that declines is not asked again about the same call, and one that cancels is', async () => {
    const { server, guarded, ran } = approving();
    const { client, close } = await open(server, {
      handlers: { elicitForm: ['cancel', 'decline', { decision: 'deny' }] },
    });
    await expect(client.tools.call('self')).rejects.toMatchObject({ data: { reason: 'approval-cancelled' } });
    await expect(client.tools.call('self')).rejects.toMatchObject({ data: { reason: 'approval-denied' } });
    await expect(client.tools.call('self')).rejects.toMatchObject({ data: { reason: 'approval-denied' } });
    await expect(client.tools.call('self', { n: 1 })).rejects.toMatchObject({ data: { reason: 'approval-denied' } });
    expect(ran).toEqual([]);
    expect(await guarded.approvals.list(ada)).toEqual([]);
    await close();
  });

  it('a handler that asks for input has its approval for all of its rounds', async () => {
    const { server, ran, audit } = approving({}, { rules: rules.replace('{ tool: self }', '{ tool: [self, twice] }') });
    const { client, close } = await open(server, {
      handlers: { elicitForm: [{ decision: 'approve' }, { x: 'yes' }] },
    });
    expect(toText(await client.tools.call('twice'))).toBe('twice has run');
    await close();
    expect(ran).toEqual(['twice {"env":"prod","action":"accept"}']);
    expect(audit.kinds().filter((kind) => kind.startsWith('approval'))).toHaveLength(3);
  });
});

describe.each(withoutForms.map((version) => [version]))('in %s, without forms,', (protocolVersion) => {
  const open = opening(protocolVersion);

  it('a caller without forms approves its own call elsewhere', async () => {
    const { server, guarded, ran } = approving();
    const { client, close } = await open(server);
    const { id } = pendingIn(await client.tools.call('self')) as { id: string };
    expect(await guarded.approvals.list(eve)).toEqual([]);
    await guarded.approvals.decide(id, 'approve', ada);
    expect(toText(await client.tools.call('self'))).toBe('self has run');
    expect(ran).toHaveLength(1);
    await close();
  });
});
