/** What a caller may not see does not exist for it: lists, calls, completions and error data are byte for byte those of a server without it. */
import { connect, createServer, type ProtocolVersion, resourceTemplate } from 'tenon';
import { createPolicy, guard } from 'tenon/guard';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { type Json, openAt } from '../../kit/transport/raw-connection.ts';
import { createGuarded, createWithout, type Guarded, rules } from './kit.ts';

const ref = (uri: string): Json => ({ ref: { type: 'ref/resource', uri }, argument: { name: 'id', value: '' } });

/** Each way to reach something hidden. */
const probes: readonly (readonly [what: string, method: string, params: Json])[] = [
  ['calling a tool', 'tools/call', { name: 'hidden_drop', arguments: { region: 'eu' } }],
  ['calling it with wrong arguments', 'tools/call', { name: 'hidden_drop', arguments: { region: 7 } }],
  [
    'calling it with an idempotency key',
    'tools/call',
    { name: 'hidden_drop', _meta: { 'dev.tenon/idempotency-key': 'k' } },
  ],
  ['reading a resource', 'resources/read', { uri: 'hidden://one' }],
  ['reading through a template', 'resources/read', { uri: 'hidden://7' }],
  ['getting a prompt', 'prompts/get', { name: 'hidden_plan', arguments: {} }],
  ['completing a template', 'completion/complete', ref('hidden://{id}')],
  [
    'completing a prompt',
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'hidden_plan' }, argument: { name: 'city', value: '' } },
  ],
  ['subscribing', 'resources/subscribe', { uri: 'hidden://one' }],
  ['unsubscribing', 'resources/unsubscribe', { uri: 'hidden://one' }],
  ['listing tools', 'tools/list', {}],
  ['listing resources', 'resources/list', {}],
  ['listing templates', 'resources/templates/list', {}],
  ['listing prompts', 'prompts/list', {}],
  ['calling a tool that does not exist', 'tools/call', { name: 'nothing' }],
];

/** The answer to one request, as the client receives it. The newest revision subscribes with a request that stays open. */
async function answerOf({ server }: Guarded, revision: ProtocolVersion, method: string, params: Json): Promise<string> {
  const { send, next, ask, transport, exchange } = await openAt(server, revision);
  const listens = exchange && method === 'resources/subscribe';
  const plain = listens
    ? ask(1, 'subscriptions/listen', { notifications: { resourceSubscriptions: [params.uri] } })
    : ask(1, method, params);
  const { _meta } = plain.params as Json;
  send({ ...plain, params: { ...(plain.params as Json), _meta: { ...(_meta as Json), ...(params._meta as Json) } } });
  const answer = JSON.stringify(await next());
  transport.close();
  return answer;
}

describe.each(protocolVersions)('under %s', (revision) => {
  it.each(probes)('%s gives the answer of a server without it [S23]', async (_what, method, params) => {
    const hiding = createGuarded();
    const answer = await answerOf(hiding, revision, method, params);
    expect(answer).toBe(await answerOf(createWithout(), revision, method, params));
    expect(answer).not.toContain('permission');
    expect(hiding.ran).toEqual([]);
  });

  it('lists all pages of what the caller may see, and nothing else [S23]', async () => {
    const { server } = createGuarded();
    const { send, next, ask } = await openAt(server, revision);
    const names: string[] = [];
    let cursor: unknown;
    do {
      send(ask(1, 'tools/list', cursor === undefined ? {} : { cursor }));
      const { result } = (await next()) as { result: { tools: { name: string }[]; nextCursor?: string } };
      names.push(...result.tools.map(({ name }) => name));
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    expect(names.sort()).toEqual(['asked_mail', 'open_deploy', 'open_echo', 'seen_wipe']);
  });

  it('names only visible tools in the error for an unknown one [S23, S29]', async () => {
    const { server } = createGuarded();
    const { send, next, ask } = await openAt(server, revision);
    send(ask(1, 'tools/call', { name: 'nothing' }));
    expect(await next()).toMatchObject({
      error: { data: { availableTools: ['open_echo', 'open_deploy', 'seen_wipe', 'asked_mail'] } },
    });
  });

  it('completes no value that names a hidden resource [S23]', async () => {
    const { server } = createGuarded();
    const { send, next, ask } = await openAt(server, revision);
    send(ask(1, 'completion/complete', ref('open://{id}')));
    expect(await next()).toMatchObject({ result: { completion: { values: ['1', '2'], total: 2, hasMore: false } } });
  });

  it('runs what is allowed [S23]', async () => {
    const { server, ran } = createGuarded();
    const { send, next, ask } = await openAt(server, revision);
    send(ask(1, 'tools/call', { name: 'open_echo' }));
    expect(await next()).toMatchObject({ result: { content: [{ text: 'open_echo' }] } });
    send(ask(2, 'resources/read', { uri: 'open://7' }));
    expect(await next()).toMatchObject({ result: { contents: [{ text: 'open template' }] } });
    send(ask(3, 'prompts/get', { name: 'open_plan', arguments: { city: 'Rome' } }));
    expect(await next()).toMatchObject({ result: { messages: [{}] } });
    expect(ran).toEqual(['open_echo', 'open template', 'plan']);
  });
});

describe('a server with a guard that is mounted', () => {
  const { server: inner } = createGuarded();

  it('needs a guard of the server that mounts it [S23]', () => {
    expect(() => createServer({ name: 'outer', version: '1', mounts: { in: inner } })).toThrow(
      expect.objectContaining({
        code: 'invalid-definition',
        message: expect.stringContaining('mounts.in has a guard'),
      }),
    );
  });

  it('is decided about by that guard, with prefixes [S23]', async () => {
    const text = 'version: 1\nrules:\n  - { id: one, allow: [list, call], to: any, on: { tool: in_open_echo } }\n';
    const outer = createServer(
      { name: 'outer', version: '1', mounts: { in: inner } },
      { guard: guard({ policy: createPolicy(text) }) },
    );
    const client = await connect(outer);
    expect((await client.tools.list().all()).map(({ name }) => name)).toEqual(['in_open_echo']);
    expect(await client.tools.call('in_open_echo')).toMatchObject({ content: [{ text: 'open_echo' }] });
    await client.close();
  });
});

it('a completion has no total that may count what is hidden [S23]', async () => {
  const complete = { id: () => ({ values: ['1'], total: 50, hasMore: true }) };
  const resourceTemplates = { 'open://{id}': resourceTemplate({ complete }, () => '') };
  const server = createServer(
    { name: 'x', version: '1', resourceTemplates },
    { guard: guard({ policy: createPolicy(rules), unknownNames: 'warn' }), onError: () => undefined },
  );
  await using client = await connect(server);
  const ref = { type: 'ref/resource', uri: 'open://{id}' } as const;
  expect(await client.complete(ref, { name: 'id', value: '' })).toMatchObject({
    values: ['1'],
    total: 1,
    hasMore: true,
  });
});
