/** What an approval must not let run: other calls, other callers, another time, another approver. */
import { createServer, tool, toText } from 'tenon';
import { guard } from 'tenon/guard';
import { createMemoryStore } from 'tenon/store';
import { createTestConnection } from 'tenon/test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callDigest } from '../../../src/guard/approvals/call-digest.ts';
import { openClient } from '../../server/tasks/task-server.ts';
import { ada, approving, eve, grace, pendingIn, rules, switchedPolicy } from './kit.ts';

const idIn = (result: object): string => {
  const found = pendingIn(result as never);
  if (found === undefined) throw new Error(`Not pending: ${JSON.stringify(result)}`);
  return found.id;
};

describe('an approval of one call is none of another', () => {
  const base = { server: 'ops', principal: 'ada', tool: 'deploy', definition: { name: 'deploy' } };
  const digest = (text: string, more: object = {}) => callDigest({ ...base, arguments: JSON.parse(text), ...more });

  it.each([
    ['the order of keys', '{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['escapes of the same characters', '{"a":"\\u00e9"}', '{"\\u0061":"é"}'],
  ])('whose arguments differ only by %s: that is the same call', async (_name, one, other) => {
    expect(await digest(one)).toBe(await digest(other));
  });

  it.each([
    ['a default that is spelled out', '{}', '{"env":"prod"}'],
    ['an argument that the tool does not know', '{"env":"test"}', '{"env":"test","force":true}'],
    ['composed and decomposed characters', '{"env":"caf\\u00e9"}', '{"env":"cafe\\u0301"}'],
    ['letters of two scripts', '{"env":"\\u0430"}', '{"env":"a"}'],
    ['an invisible character', '{"env":"prod"}', '{"env":"pr\\u200bod"}'],
    ['a key instead of a value', '{"a":"b"}', '{"b":"a"}'],
    ['a text that looks like more arguments', '{"a":"1\\",\\"b\\":\\"2"}', '{"a":"1","b":"2"}'],
    ['a number and its text', '{"n":1}', '{"n":"1"}'],
    ['the sign of zero', '{"n":0}', '{"n":-0}'],
    ['a list and its only value', '{"a":["x"]}', '{"a":"x"}'],
  ])('with %s', async (_name, one, other) => {
    expect(await digest(one)).not.toBe(await digest(other));
  });

  it('of another server, caller, tool or definition', async () => {
    const digests = await Promise.all(
      [
        {},
        { server: 'ops2' },
        { principal: 'eve' },
        { tool: 'deploy2' },
        { definition: { name: 'deploy', title: 'x' } },
      ].map((more) => digest('{}', more)),
    );
    expect(new Set(digests).size).toBe(5);
  });

  it('with a number that is not the one that JSON would show', async () => {
    expect(await digest('{"n":1e999}')).toBeUndefined();
    const { server, ran } = approving();
    const raw = openClient(server, { principal: 'ada' });
    await raw.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    });
    raw.transport.send(
      '{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"deploy","arguments":{"other":1e999}}}',
    );
    expect((await raw.next()).error).toMatchObject({ data: { reason: 'arguments-not-exact' } });
    expect(ran).toEqual([]);
  });

  it.each([
    ['{}', { env: 'prod' }],
    ['{"env":"prod"}', {}],
  ])('a call of %s that was approved does not let one of %j run, though both validate alike', async (text, other) => {
    const { server, guarded, ran } = approving();
    const { client, close } = await createTestConnection(server, { principal: ada });
    const id = idIn(await client.tools.call('deploy', JSON.parse(text)));
    await guarded.approvals.decide(id, 'approve', grace);
    expect(idIn(await client.tools.call('deploy', other))).not.toBe(id);
    expect(ran).toEqual([]);
    await close();
  });

  it('of another caller, or of the same user at another issuer', async () => {
    const { server, guarded, ran } = approving();
    const approved = async (principal: object) => createTestConnection(server, { principal: principal as never });
    const [one, two, three] = [
      await approved(ada),
      await approved(eve),
      await approved({ ...ada, issuer: 'https://other' }),
    ];
    const id = idIn(await one.client.tools.call('deploy'));
    await guarded.approvals.decide(id, 'approve', grace);
    for (const { client } of [two, three]) expect(idIn(await client.tools.call('deploy'))).not.toBe(id);
    expect(ran).toEqual([]);
    await Promise.all([one, two, three].map(({ close }) => close()));
  });

  it('of another server that shares the store', async () => {
    const store = createMemoryStore().approvals;
    const serverNamed = (name: string) => {
      const guarded = guard({ policy: switchedPolicy(rules), approvals: { store, waitMs: 0 }, unknownNames: 'warn' });
      const tools = { deploy: tool({}, () => 'deployed') };
      return {
        guarded,
        server: createServer({ name, version: '1', tools }, { guard: guarded, onError: () => undefined }),
      };
    };
    const one = serverNamed('one');
    const first = await createTestConnection(one.server, { principal: ada });
    const second = await createTestConnection(serverNamed('two').server, { principal: ada });
    const id = idIn(await first.client.tools.call('deploy'));
    await one.guarded.approvals.decide(id, 'approve', grace);
    expect(idIn(await second.client.tools.call('deploy'))).not.toBe(id);
    expect(toText(await first.client.tools.call('deploy'))).toBe('deployed');
    await Promise.all([first.close(), second.close()]);
  });
});

describe('an approval is not given to', () => {
  it.each([
    ['a caller, for its own call', { ...ada, roles: ['ops'] }, 'permission-denied'],
    ['a caller by its name alone', 'ada', 'approval-not-found'],
    ['a caller under a name with an empty issuer', { issuer: '', subject: 'ada', roles: ['ops'] }, 'invalid-argument'],
    ['a user without the role', eve, 'approval-not-found'],
    ['a user with the role as a scope', { ...eve, scopes: ['ops'] }, 'approval-not-found'],
    ['a user whose role has another letter case', { ...eve, roles: ['OPS'] }, 'approval-not-found'],
  ] as const)('%s', async (_name, by, code) => {
    const { server, guarded, ran } = approving();
    const { client, close } = await createTestConnection(server, { principal: ada });
    const id = idIn(await client.tools.call('deploy'));
    await expect(guarded.approvals.decide(id, 'approve', by as never)).rejects.toMatchObject({ code });
    expect(idIn(await client.tools.call('deploy'))).toBe(id);
    expect(ran).toEqual([]);
    await close();
  });

  it('a caller under a name without an issuer, where it called with one', async () => {
    const { server, guarded } = approving({}, { rules: rules.replace('{ role: ops }', '{ subject: [ada, grace] }') });
    const { client, close } = await createTestConnection(server, { principal: ada });
    const id = idIn(await client.tools.call('deploy'));
    // `authenticate` of the page may return a plain name: it may be the same person.
    await expect(guarded.approvals.decide(id, 'approve', 'ada')).rejects.toMatchObject({ code: 'approval-not-found' });
    await guarded.approvals.decide(id, 'approve', 'grace');
    await close();
  });

  it('a user whom only one of two rules names', async () => {
    const both = `${rules}  - { id: lead, ask: [call], to: any, on: { tool: "dep*" }, approver: { scope: lead } }\n`;
    const { server, guarded, ran } = approving({}, { rules: both });
    const { client, close } = await createTestConnection(server, { principal: ada });
    const id = idIn(await client.tools.call('deploy'));
    for (const by of [grace, { ...eve, scopes: ['lead'] }])
      await expect(guarded.approvals.decide(id, 'approve', by)).rejects.toMatchObject({ code: 'approval-not-found' });
    await guarded.approvals.decide(id, 'approve', { ...grace, scopes: ['lead'] });
    expect(toText(await client.tools.call('deploy'))).toBe('deploy has run');
    expect(ran).toHaveLength(1);
    await close();
  });
});

describe('an approval, which is decided again at its use,', () => {
  async function approved() {
    const stage = approving();
    const { client, close } = await createTestConnection(stage.server, { principal: ada });
    const id = idIn(await client.tools.call('deploy'));
    await stage.guarded.approvals.decide(id, 'approve', grace);
    return { ...stage, client, close, id };
  }

  it('never outweighs a rule that denies now', async () => {
    const { policy, client, close, ran } = await approved();
    policy.change(`${rules}  - { id: freeze, deny: [call], to: any, on: { tool: deploy } }\n`);
    await expect(client.tools.call('deploy')).rejects.toMatchObject({ data: { reason: 'denied' } });
    expect(ran).toEqual([]);
    await close();
  });

  it('is none for a rule that names another approver now', async () => {
    const { policy, client, close, ran, id } = await approved();
    policy.change(rules.replace('{ role: ops }', '{ role: lead }'));
    expect(idIn(await client.tools.call('deploy'))).not.toBe(id);
    expect(ran).toEqual([]);
    await close();
  });

  it('is none for a tool that was changed', async () => {
    const { server, client, close, ran, id } = await approved();
    server.update(({ tools }) => {
      tools.deploy = tool({ description: 'Deploys everything', inputSchema: z.object({}) }, () => 'all');
    });
    expect(idIn(await client.tools.call('deploy'))).not.toBe(id);
    expect(ran).toEqual([]);
    await close();
  });

  it('is none while its caller waits and the policy changes', async () => {
    const stage = approving({
      waitMs: 60_000,
      onRequest: async ({ id }) => {
        stage.policy.change(`${rules}  - { id: freeze, deny: [call], to: any, on: { tool: deploy } }\n`);
        await stage.guarded.approvals.decide(id, 'approve', grace);
      },
    });
    const { client, close } = await createTestConnection(stage.server, { principal: ada });
    await expect(client.tools.call('deploy')).rejects.toMatchObject({ data: { reason: 'approval-outdated' } });
    expect(stage.ran).toEqual([]);
    await close();
  });

  it('is none for a caller whose credentials expired while it waited', async () => {
    const stage = approving({
      waitMs: 60_000,
      onRequest: ({ id }) => stage.guarded.approvals.decide(id, 'approve', grace),
    });
    const { client, close } = await createTestConnection(stage.server, {
      principal: { ...ada, expiresAt: Date.now() - 1 },
    });
    await expect(client.tools.call('deploy')).rejects.toMatchObject({ reason: 'unauthorized' });
    expect(stage.ran).toEqual([]);
    await close();
  });
});

describe('in 2026-07-28 a client that sends requests again', () => {
  const meta = (capabilities: object) => ({
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  });

  it('runs an approved call once, whatever it repeats', async () => {
    const { server, ran } = approving();
    const { ask } = openClient(server, { principal: 'ada' });
    const params = { name: 'self', arguments: { env: 'test' }, _meta: meta({ elicitation: {} }) };
    const asked = (await ask('tools/call', params)).result as { inputRequests: object; requestState: string };
    const [key] = Object.keys(asked.inputRequests) as [string];
    const answer = { [key]: { action: 'accept', content: { decision: 'approve' } } };
    const second = { ...params, inputResponses: answer, requestState: asked.requestState };
    const results = [await ask('tools/call', second), await ask('tools/call', second)];
    expect(results.every(({ result }) => JSON.stringify(result).includes('self has run'))).toBe(true);
    expect(ran).toHaveLength(1);
    // The answer of this question is none for another call.
    const other = (await ask('tools/call', params)).result as { inputRequests: object; requestState: string };
    const stolen = await ask('tools/call', { ...params, inputResponses: answer, requestState: other.requestState });
    expect(Object.keys((stolen.result as typeof other).inputRequests)).toEqual(Object.keys(other.inputRequests));
    expect(Object.keys(other.inputRequests)).not.toContain(key);
    expect(ran).toHaveLength(1);
  });

  it('approves nothing by an answer to a call with other arguments, or of another caller', async () => {
    const { server, ran } = approving();
    const { ask } = openClient(server, { principal: 'ada' });
    const params = { name: 'self', arguments: { env: 'test' }, _meta: meta({ elicitation: {} }) };
    const asked = (await ask('tools/call', params)).result as { inputRequests: object; requestState: string };
    const [key] = Object.keys(asked.inputRequests) as [string];
    const answer = { inputResponses: { [key]: { action: 'accept', content: { decision: 'approve' } } } };
    const { requestState } = asked;
    const changed = await ask('tools/call', { ...params, arguments: { env: 'prod' }, ...answer, requestState });
    expect(changed.error).toMatchObject({ data: { requestState: 'refused' } });
    const { ask: askAsEve } = openClient(server, { principal: 'eve' });
    expect((await askAsEve('tools/call', { ...params, ...answer, requestState })).error).toBeDefined();
    // An answer without a question.
    const unasked = await ask('tools/call', { ...params, ...answer });
    expect(JSON.stringify(unasked)).not.toContain('has run');
    expect(ran).toEqual([]);
  });

  it('runs an approved call once, also where answers need no state', async () => {
    const { server, ran } = approving({}, { server: { requestState: { required: false } } });
    const { ask } = openClient(server, { principal: 'ada' });
    const params = { name: 'self', arguments: { env: 'test' }, _meta: meta({ elicitation: {} }) };
    const asked = (await ask('tools/call', params)).result as { inputRequests: object };
    const [key] = Object.keys(asked.inputRequests) as [string];
    const answer = { ...params, inputResponses: { [key]: { action: 'accept', content: { decision: 'approve' } } } };
    for (const as of ['eve', 'ada', 'ada', 'ada'])
      await openClient(server, { principal: as }).ask('tools/call', answer);
    expect(ran).toHaveLength(1);
  });

  it('has one of many equal calls run for one approval', async () => {
    const { server, guarded, ran } = approving();
    const { client, close } = await createTestConnection(server, { principal: ada });
    const id = idIn(await client.tools.call('deploy'));
    await guarded.approvals.decide(id, 'approve', grace);
    const results = await Promise.all(Array.from({ length: 12 }, () => client.tools.call('deploy')));
    expect(results.filter(({ isError }) => isError !== true)).toHaveLength(1);
    expect(ran).toHaveLength(1);
    await close();
  });
});

it('a store whose texts were exchanged lets nothing run', async () => {
  const { approvals } = createMemoryStore();
  const by = { operator: 'x' };
  const create: typeof approvals.create = async (approval, room) => {
    const created = await approvals.create(approval, room);
    if (typeof created === 'string') return created;
    const record = { ...JSON.parse(created.approval.data), digest: 'other', decision: { is: 'approve', by, at: 1 } };
    return { isNew: false, approval: { ...created.approval, data: JSON.stringify(record) } };
  };
  // The client would send it again for as long as it may: nothing has run.
  const controller = new AbortController();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => {
    errors.push(error);
    controller.abort();
  };
  const { server, ran } = approving({ store: { ...approvals, create } }, { server: { onError } });
  const { client, close } = await createTestConnection(server, { principal: ada });
  await expect(client.tools.call('deploy', {}, { signal: controller.signal })).rejects.toMatchObject({
    code: 'cancelled',
  });
  expect(ran).toEqual([]);
  expect(errors[0]).toMatchObject({ code: 'store-failed' });
  await close();
});
