/** Keys of `_meta` that servers and clients choose: which are allowed, and that no others are sent. */
import {
  connect,
  content,
  createServer,
  prompt,
  promptResult,
  resource,
  resourceTemplate,
  type ServerDefinition,
  tool,
  toolResult,
} from 'tenon';

import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../kit/transport/raw-connection.ts';
import { connectRecorded } from '../../kit/transport/recorded-connection.ts';

const traceparent = '00-11112222333344445555666677778888-aaaabbbbccccdddd-01';

const good: readonly Json[] = [
  {},
  { name: 1, 'a-b_c.d': 1, A9: 1, '9': 1 },
  { 'com.example/name': 1, 'x/y': 1, 'a-1.b2/c': 1, 'com.example/': 1 },
  { 'com.example.mcp/a': 1, 'mcp/a': 1, 'modelcontextprotocol/a': 1, 'org.mcpx/a': 1 },
  { 'io.modelcontextprotocol/related-task': { taskId: 't' } },
];

/** Forbidden keys, by the rules they break. */
const prefixes = ['/name', 'a..b/name', '.a/name', 'a./name', 'a/b/name', 'a b/name', 'com.example//name'];
const labels = ['1a.b/name', 'a-/name', '-a/name', 'a.b-/name', 'a_b/name', 'é.com/name', 'com.9/name'];
const names = ['-name', 'name-', '_name', 'name.', 'com.example/.name', 'com.example/name_', 'na me', 'name!', 'é'];
const reserved = [
  'io.modelcontextprotocol/mine',
  'io.modelcontextprotocol/serverInfo',
  'dev.mcp/mine',
  'org.modelcontextprotocol.api/mine',
  'com.mcp.tools/mine',
];
/** Keys that only the first revision with rules for keys reserved. */
const onceReserved = [
  'modelcontextprotocol.io/mine',
  'mcp.dev/mine',
  'tools.mcp.com/mine',
  'api.modelcontextprotocol.org/mine',
];
const wrong = [
  ...prefixes.map((key) => [key, 'a prefix of another form']),
  ...labels.map((key) => [key, 'a label of another form']),
  ...names.map((key) => [key, 'a name of another form']),
  ...reserved.map((key) => [key, 'a reserved prefix']),
  ...onceReserved.map((key) => [key, 'a prefix reserved once']),
];
const rules =
  '[s-base-24, s-base-25, s-base-27, s-base-28, s-base-27@2025-06-18, e-meta-02, e-meta-03, e-meta-05, e-meta-06]';

type Define = (meta: Json) => Partial<ServerDefinition>;
const definitions: ReadonlyArray<readonly [place: string, define: Define]> = [
  ['tools.t._meta', (_meta) => ({ tools: { t: tool({ _meta }, () => 'x') } })],
  ['resources["a:b"]._meta', (_meta) => ({ resources: { 'a:b': resource({ _meta }, () => 'x') } })],
  [
    'resourceTemplates["a:{b}"]._meta',
    (_meta) => ({ resourceTemplates: { 'a:{b}': resourceTemplate({ _meta }, () => 'x') } }),
  ],
  ['prompts.p._meta', (_meta) => ({ prompts: { p: prompt({ _meta }, () => 'x') } })],
];

describe.each(definitions)('a definition with %s', (place, define) => {
  it.each(wrong)(`is refused for %j: %s ${rules}`, (key) => {
    const message = expect.stringContaining(`${place}[${JSON.stringify(key)}]`);
    expect(() => createServer({ name: 's', version: '1', ...define({ fine: 1, [key]: 1 }) })).toThrow(
      expect.objectContaining({ code: 'invalid-definition', message }),
    );
  });

  it.each(good)('may have %j', (meta) => {
    expect(() => createServer({ name: 's', version: '1', ...define(meta) })).not.toThrow();
  });
});

describe.each(protocolVersions)('a client at %s', (revision) => {
  const server = createServer({ name: 's', version: '1', tools: { t: tool({}, () => 'x') } });

  it.each(wrong)(`does not send %j, %s ${rules}`, async (key) => {
    const { client, sent } = await connectRecorded(server, { protocolVersions: [revision] });
    const before = sent.length;
    const refusal = { code: 'invalid-outgoing-message', message: expect.stringContaining(JSON.stringify(key)) };
    await expect(client.tools.call('t', {}, { meta: { [key]: 1 } })).rejects.toMatchObject(refusal);
    await expect(client.tools.list({ meta: { [key]: 1 } }).all()).rejects.toMatchObject(refusal);
    await expect(client.request('tools/list', { _meta: { [key]: 1 } })).rejects.toMatchObject(refusal);
    expect(sent).toHaveLength(before);
    await client.close();
  });

  it('sends allowed keys of the params and the options, beside the progress token', async () => {
    const { client, sent } = await connectRecorded(server, { protocolVersions: [revision] });
    const meta = Object.assign({}, ...good);
    await client.request('tools/call', { name: 't', _meta: { 'acme/a': 1, name: 0 } }, { meta, onProgress() {} });
    const expected = { 'acme/a': 1, ...meta, progressToken: expect.anything() };
    expect(sent.at(-1)).toMatchObject({ params: { _meta: expected } });
    await client.close();
  });
});

/** A server whose handlers return `_meta` in every possible place. */
const returning = (_meta: Json) => {
  const text = { type: 'text' as const, text: 'x' };
  const embedded = { type: 'resource' as const, resource: { uri: 'a:b', text: 'x', _meta } };
  return createServer(
    {
      name: 's',
      version: '1',
      tools: {
        whole: tool({}, () => toolResult({ content: [text], _meta })),
        within: tool({}, () => toolResult({ content: [{ ...text, _meta }] })),
        block: tool({}, () => content(text, { ...text, _meta })),
        embedded: tool({}, () => content(embedded)),
      },
      resources: { 'a:b': resource({}, () => [{ text: 'x', _meta }]) },
      prompts: {
        whole: prompt({}, () => promptResult({ messages: [], _meta })),
        within: prompt({}, () => promptResult({ messages: [{ role: 'user', content: { ...text, _meta } }] })),
        listed: prompt({}, () => [{ role: 'user', content: embedded }]),
      },
    },
    { onError: (error) => failures.push(error) },
  );
};
const failures: unknown[] = [];
const calls: ReadonlyArray<readonly [string, Json]> = [
  ...['whole', 'within', 'block', 'embedded'].map((name) => ['tools/call', { name }] as const),
  ['resources/read', { uri: 'a:b' }],
  ...['whole', 'within', 'listed'].map((name) => ['prompts/get', { name }] as const),
];

describe.each(protocolVersions)('a server at %s', (revision) => {
  it.each(wrong)(`does not send %j from handlers, %s ${rules}`, async (key) => {
    const { client, received } = await connectRecorded(returning({ [key]: 'sent' }), { protocolVersions: [revision] });
    for (const [method, params] of calls) {
      failures.length = 0;
      const answer = await client.request(method, params).catch((error) => error);
      expect(answer).toMatchObject(method === 'tools/call' ? { isError: true } : { code: -32603 });
      expect(failures).toMatchObject([
        { code: 'invalid-outgoing-message', message: expect.stringContaining('_meta[') },
      ]);
    }
    expect(JSON.stringify(received)).not.toContain('"sent"');
    await client.close();
  });

  it('sends allowed keys from handlers', async () => {
    const client = await connect(returning(Object.assign({}, ...good)), { protocolVersions: [revision] });
    for (const [method, params] of calls) await client.request(method, params);
    expect(await client.request('tools/call', { name: 'whole' })).toMatchObject({ _meta: { 'com.example/name': 1 } });
    await client.close();
  });
});

const traces: ReadonlyArray<readonly [key: string, good: readonly unknown[], wrong: readonly unknown[]]> = [
  [
    'traceparent',
    [traceparent, traceparent.replace(/^00/, '01')],
    [
      '',
      5,
      null,
      traceparent.toUpperCase(),
      `${traceparent}-00`,
      traceparent.replace(/^00/, 'ff'),
      traceparent.replace(/[1-8]/g, '0'),
      '00-11112222333344445555666677778888-0000000000000000-01',
      ` ${traceparent}`,
    ],
  ],
  [
    'tracestate',
    ['a=1', 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE', '1a@b=x y', 'a=1 ,\t b=2,', '', `a=${'x'.repeat(256)}`],
    [
      'a',
      'A=1',
      'a=',
      'a=1,a=2',
      'a=b=c',
      '1a=1',
      'a@B=1',
      'a=1,\nb=2',
      `a=${'x'.repeat(257)}`,
      Array.from({ length: 33 }, (_, at) => `k${at}=1`).join(),
      {},
    ],
  ],
  [
    'baggage',
    ['a=1', 'userId=alice,serverNode=DF%2028 ; private', 'a = 1 ; p = 2;q', 'a=', 'a==b'],
    ['', 'a', 'a=1,', 'a=b c', 'a b=1', '=1', 'a="1"', 'a=\\', 'a=1;', 'a=é', '\na=1', ['a=1']],
  ],
];

describe.each(traces)('%s', (key, valid, invalid) => {
  it.each(protocolVersions)(
    'is sent only in its W3C form, by a client and in a result, at %s [e-meta-20]',
    async (revision) => {
      const seen: unknown[] = [];
      const server = createServer(
        {
          name: 's',
          version: '1',
          tools: {
            echo: tool({}, (_given, { meta }) => {
              seen.push(meta[key]);
              return toolResult({ content: [], _meta: { [key]: meta['acme/back'] ?? meta[key] } });
            }),
          },
        },
        { onError() {} },
      );
      const client = await connect(server, { protocolVersions: [revision] });
      for (const value of valid) {
        const { _meta } = await client.tools.call('echo', {}, { meta: { [key]: value } });
        expect(_meta).toMatchObject({ [key]: value });
      }
      expect(seen.splice(0)).toEqual(valid);
      for (const value of invalid) {
        const refusal = { code: 'invalid-outgoing-message', message: expect.stringContaining(`["${key}"]`) };
        await expect(client.tools.call('echo', {}, { meta: { [key]: value } })).rejects.toMatchObject(refusal);
        expect(seen).toEqual([]);
        const back = await client.tools.call('echo', {}, { meta: { 'acme/back': value ?? 0 } });
        expect(back).toMatchObject({ isError: true });
        seen.length = 0;
      }
      await client.close();
    },
  );
});
