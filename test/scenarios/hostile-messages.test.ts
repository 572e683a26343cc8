import { content, createServer, resource, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { withFixed } from '../kit/fixed-limits.ts';
import { type Json, openAt, refused, request, worded } from '../kit/transport/raw-connection.ts';

const server = createServer({
  name: 'target',
  version: '1.0.0',
  tools: {
    echo: tool({ inputSchema: z.looseObject({ text: z.string().default('here') }) }, ({ text }) => text),
  },
  resources: { 'note://one': resource({}, () => 'one') },
});

const here = { content: [{ type: 'text', text: 'here' }] };
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

type Ask = (id: unknown, method: string, params?: Json) => Json;
/** The message sent and the expected reply: an error, a result, or nothing. */
type Row = readonly [name: string, frame: (ask: Ask) => unknown, reply: Json | undefined];

const rows: readonly Row[] = [
  [
    'text that is not JSON [e-base-16, s-base-10, s-base-10@2025-06-18]',
    () => '{"jsonrpc":"2.0","id":1,',
    refused(-32700),
  ],
  ['an empty frame', () => '', refused(-32700)],
  ['a bare word', () => '"ping"', refused(-32600)],
  ['null', () => 'null', refused(-32600)],
  ['an empty object', () => ({}), refused(-32600)],
  ['an empty batch', () => [], refused(-32600)],
  ['a wrong version', () => ({ ...request(7, 'ping'), jsonrpc: '1.0' }), refused(-32600, 7)],
  ['no version', () => ({ id: 'a', method: 'ping' }), refused(-32600, 'a')],
  ['a null id', () => request(null, 'ping'), refused(-32600)],
  ['a fractional id', () => request(1.5, 'ping'), refused(-32600)],
  ['an id beyond the safe integers', () => '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', refused(-32600)],
  ['a method that is not a string', () => ({ jsonrpc: '2.0', id: 7, method: {} }), refused(-32600, 7)],
  ['params that are a string', () => request(7, 'tools/list', 'all'), refused(-32600, 7)],
  ['params that are null', () => request(7, 'tools/list', null), refused(-32600, 7)],
  ['params that are an array', () => request(7, 'tools/call', ['echo', {}]), refused(-32602, 7)],
  ['an unknown method [S42]', (ask) => ask(7, 'tools/burn'), refused(-32601, 7)],
  ['a method of the other side', (ask) => ask(7, 'sampling/createMessage'), refused(-32601, 7)],
  ['a method named like a property', (ask) => ask(7, 'constructor'), refused(-32601, 7)],
  ['a method named __proto__', (ask) => ask(7, '__proto__'), refused(-32601, 7)],
  ['a method of a lone surrogate', (ask) => ask('\ud800', '\udfff'), refused(-32601, '\ud800')],
  ['a notification as a request', (ask) => ask(7, 'notifications/initialized'), refused(-32601, 7)],
  ['no tool name', (ask) => ask(7, 'tools/call'), refused(-32602, 7, expect.stringContaining('params.name'))],
  [
    'a tool name that is not a string',
    (ask) => ask(7, 'tools/call', { name: ['echo'] }),
    refused(-32602, 7, expect.stringContaining('params.name')),
  ],
  [
    'arguments that are an array',
    (ask) => ask(7, 'tools/call', { name: 'echo', arguments: [] }),
    refused(-32602, 7, expect.stringContaining('params.arguments')),
  ],
  [
    'arguments that are nested too deep',
    (ask) => ask(7, 'tools/call', { name: 'echo', arguments: { deep: nested(200) } }),
    refused(-32600, 7, expect.stringContaining('nested deeper than 128 levels')),
  ],
  [
    'arguments with an unsafe key',
    (ask) => ask(7, 'tools/call', { name: 'echo', arguments: JSON.parse('{"a":{"__proto__":{"polluted":1}}}') }),
    refused(-32600, 7, expect.stringContaining('A key named __proto__')),
  ],
  ['an unknown notification [S42, e-base-30, s-base-14]', () => ({ jsonrpc: '2.0', method: 'n/x' }), undefined],
  [
    'a notification with an array',
    () => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: [] }),
    undefined,
  ],
  [
    'a notification with a string',
    () => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: 'x' }),
    undefined,
  ],
  ['a request as a notification', () => ({ jsonrpc: '2.0', method: 'tools/list', params: {} }), undefined],
  ['a second initialized', () => ({ jsonrpc: '2.0', method: 'notifications/initialized' }), undefined],
  [
    'a cancellation of an unknown request [e-cancel-14, e-cancel-19, s-cancellation-07, s-cancellation-12]',
    () => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 404 } }),
    undefined,
  ],
  [
    'a cancellation whose request id is an object',
    () => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: {} } }),
    undefined,
  ],
  ['a result without a request', () => ({ jsonrpc: '2.0', id: 1, result: {} }), undefined],
  ['an error without a request', () => ({ jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } }), undefined],
  ['an error about the connection', () => ({ jsonrpc: '2.0', id: null, error: { code: 1, message: '' } }), undefined],
  ['an answer with both a result and an error', () => ({ jsonrpc: '2.0', id: 1, result: 1, error: 2 }), undefined],
];

describe.each(protocolVersions)('a server at %s', (revision) => {
  it.each(rows)('answers %s with the right reply or none, and still serves [S26]', async (_, frame, reply) => {
    const { ask, send, settled } = await openAt(server, revision);
    send(frame(ask));
    expect(await settled()).toEqual(reply === undefined ? [] : [worded(reply, revision)]);
    send(ask('after', 'tools/call', { name: 'echo' }));
    expect(await settled()).toMatchObject([{ id: 'after', result: here }]);
  });

  it('ignores unknown fields anywhere [S42]', async () => {
    const { ask, send, settled } = await openAt(server, revision);
    const message = ask(7, 'tools/call', { name: 'echo', arguments: { more: 1 }, unheardOf: nested(3) });
    send({ ...message, extra: { a: 1 }, _meta: { authorization: 'Bearer x' } });
    expect(await settled()).toMatchObject([{ jsonrpc: '2.0', id: 7, result: here }]);
  });

  it.each([0, -1, '', '7', '\ud800', '__proto__', Number.MAX_SAFE_INTEGER])(
    'repeats the id %j unchanged, in results and errors [e-base-07, e-base-08, e-base-17, e-base-18, s-base-07, s-base-11, s-base-12, s-base-07@2025-06-18, s-base-08@2025-06-18]',
    async (id) => {
      const { ask, send, settled } = await openAt(server, revision);
      send(ask(id, 'tools/call', { name: 'echo' }));
      send(ask(id, 'tools/call', { name: 'unknown' }));
      const error = {
        code: -32602,
        message: expect.any(String),
        data: { toolName: 'unknown', availableTools: ['echo'] },
      };
      expect(await settled()).toEqual([
        { jsonrpc: '2.0', id, result: expect.objectContaining(here) },
        { jsonrpc: '2.0', id, error },
      ]);
    },
  );

  it.each(['__proto__', 'constructor', 'toString', ''])('knows no tool and no resource named %j', async (name) => {
    const { ask, send, settled } = await openAt(server, revision);
    send(ask(1, 'tools/call', { name }));
    send(ask(2, 'resources/read', { uri: name }));
    const missing = revision === '2026-07-28' ? -32602 : -32002;
    expect(await settled()).toMatchObject([
      { id: 1, error: { code: -32602 } },
      { id: 2, error: { code: missing } },
    ]);
  });

  it('accepts arguments as deep as the limit allows', async () => {
    const { ask, send, settled } = await openAt(server, revision);
    send(ask(7, 'tools/call', { name: 'echo', arguments: { deep: nested(100) } }));
    expect(await settled()).toMatchObject([{ id: 7, result: here }]);
  });

  it('refuses a message over the limit without parsing it', async () => {
    const limits = withFixed({ maxMessageChars: 1000 }, { maxDepth: 100, maxBatch: 10 });
    const { ask, send, settled, warnings } = await openAt(server, revision, { limits });
    send(ask(7, 'tools/call', { name: 'echo', arguments: { text: 'x'.repeat(1000) } }));
    expect(await settled()).toEqual([worded(refused(-32600), revision)]);
    expect(warnings).toMatchObject([{ code: 'message-too-large' }]);
  });

  it('accepts batches where the revision has them, and refuses them as a whole elsewhere [s-base-212@2025-03-26]', async () => {
    const { ask, send, settled } = await openAt(server, revision);
    const notification = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
    send([ask(1, 'tools/call', { name: 'echo' }), notification, 5, ask('b', 'tools/burn'), ask(3, 'tools/call')]);
    send([notification, notification]);
    const answers = [worded(refused(-32600), revision), refused(-32601, 'b'), refused(-32602, 3)];
    expect(await settled()).toEqual(
      revision === '2025-03-26'
        ? [[{ jsonrpc: '2.0', id: 1, result: here }, ...answers]]
        : [worded(refused(-32600), revision), worded(refused(-32600), revision)],
    );
  });

  it('aborts a cancelled call, sends nothing more for it, and accepts its id again [e-stdio-12, e-cancel-13, e-cancel-16, s-cancellation-04, s-cancellation-06, s-cancellation-09]', async () => {
    const release: Array<(text: string) => void> = [];
    const signals: AbortSignal[] = [];
    const slow = createServer({
      name: 'slow',
      version: '1',
      tools: {
        wait: tool({}, (_given, { signal }) => {
          signals.push(signal);
          return new Promise<string>((resolve) => release.push(resolve));
        }),
      },
    });
    const { ask, send, settled } = await openAt(slow, revision);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7, reason: 'enough' } };
    send(ask(7, 'tools/call', { name: 'wait' }));
    send(cancel);
    expect(await settled()).toEqual([]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    send(ask(7, 'tools/call', { name: 'wait' }));
    await settled();
    release[0]?.('the first');
    expect(await settled()).toEqual([]);
    release[1]?.('the second');
    expect(await settled()).toMatchObject([{ id: 7, result: { content: [{ text: 'the second' }] } }]);
    send(cancel);
    expect(await settled()).toEqual([]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it('refuses each call over the limit of waiting calls once, with its id', async () => {
    const slow = createServer({
      name: 's',
      version: '1',
      tools: { wait: tool({}, () => new Promise<string>(() => {})) },
    });
    const { ask, send, next, warnings } = await openAt(slow, revision, { limits: { maxConcurrentCalls: 2 } });
    for (const id of [1, 2, 2, 3]) send(ask(id, 'tools/call', { name: 'wait' }));
    expect(await next()).toEqual(refused(-32603, 3));
    expect(warnings).toMatchObject([{ code: 'invalid-message' }, { code: 'queue-full' }]);
  });
});

describe.each(protocolVersions)('a server with invalid handlers, at %s', (revision) => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const wrong = (value: unknown): string => value as string;
  const careless = createServer({
    name: 'careless',
    version: '1',
    tools: {
      nothing: tool({}, () => wrong(undefined)),
      bigint: tool({ outputSchema: z.any() }, () => ({ n: 1n })),
      later: tool({ outputSchema: z.any() }, async () => ({ n: 1n })),
      cycle: tool({ outputSchema: z.any() }, () => cycle),
      meta: tool({}, () => content({ type: 'text', text: 'x', _meta: cycle })),
      shapeless: tool({}, () => content({ type: 'text' } as never)),
    },
    resources: {
      'note://nothing': resource({}, () => wrong(undefined)),
      'note://later': resource({}, async () => wrong(5)),
    },
  });

  it.each(['nothing', 'bigint', 'later', 'cycle', 'shapeless'])('answers a call of the tool %s', async (name) => {
    const { ask, send, next } = await openAt(careless, revision);
    send(ask(7, 'tools/call', { name }));
    const { id, result, error } = (await next()) as { id: unknown; result?: Json; error?: Json };
    expect(id).toBe(7);
    expect(result?.isError ?? error?.code).toSatisfy((outcome) => outcome === true || outcome === -32603);
  });

  it('answers a call whose result cannot be serialized, and `onError` gets the reason', async () => {
    const { ask, send, next, warnings } = await openAt(careless, revision);
    send(ask(7, 'tools/call', { name: 'meta' }));
    const dropsMeta = protocolVersions.indexOf(revision) < 2;
    expect(await next()).toEqual(
      dropsMeta ? { jsonrpc: '2.0', id: 7, result: { content: [{ type: 'text', text: 'x' }] } } : refused(-32603, 7),
    );
    expect(warnings).toMatchObject(dropsMeta ? [] : [{ code: 'invalid-outgoing-message' }]);
  });

  it.each(['note://nothing', 'note://later'])('answers a read of %s', async (uri) => {
    const { ask, send, next } = await openAt(careless, revision);
    send(ask(7, 'resources/read', { uri }));
    expect(await next()).toEqual(refused(-32603, 7));
  });
});
