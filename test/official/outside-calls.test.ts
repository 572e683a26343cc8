/** What a server sends outside calls reaches its session alone; subscriptions and levels reach the server. */
import { McpServer as ServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as v1 from '@modelcontextprotocol/sdk/types.js';
import { McpServer as ServerV2 } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { createPolicy, guard } from '../../src/guard/index.ts';
import { createDeferred } from '../../src/lib/values/deferred.ts';
import { fromOfficial } from '../../src/node/entries/official.ts';
import { type Client, connect, createServer, type ProtocolVersion, serveHttp } from '../../src/node/index.ts';
import type { OfficialOptions } from '../../src/official/index.ts';
import { protocolVersions } from '../../src/protocol/revisions/revisions.ts';
import { createMemoryStore } from '../../src/store/memory.ts';
import { type Json, openAt, openRaw } from '../kit/transport/raw-connection.ts';
import { exchangeVersion, isSession, isSince } from '../kit/version-order.ts';
import { withTimeout } from '../kit/with-timeout.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const versions = protocolVersions as readonly ProtocolVersion[];
const sessions = versions.filter(isSession);
const newestSession = sessions.at(-1) as ProtocolVersion;
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const uri = 'notes://a';

/** The low-level server of either version, as far as the tests use it. */
interface Low {
  oninitialized?: () => void;
  listRoots(): Promise<{ roots: unknown[] }>;
  elicitInput(params: object): Promise<{ action: string }>;
  notification(message: object): Promise<void>;
  sendLoggingMessage(params: object): Promise<void>;
  sendResourceUpdated(params: { uri: string }): Promise<void>;
}

interface Made {
  readonly low: Low;
  /** What the server has received: subscriptions, levels, changed roots. */
  readonly received: unknown[];
  close(): Promise<void>;
}

const capabilities = { logging: {}, resources: { subscribe: true } };
const info = { name: 'outside', version: '1.0.0' };

function onV1(received: unknown[]): ServerV1 {
  const server = new ServerV1(info, { capabilities });
  const { server: low } = server;
  const subscribed = ({ method, params }: { method: string; params: { uri: string } }) => {
    received.push([method, params.uri]);
    if (params.uri === 'notes://refused') throw new v1.McpError(-32602, 'No such note');
    return {};
  };
  low.setRequestHandler(v1.SubscribeRequestSchema, subscribed);
  low.setRequestHandler(v1.UnsubscribeRequestSchema, subscribed);
  low.setRequestHandler(v1.SetLevelRequestSchema, ({ method, params }) => {
    received.push([method, params.level]);
    return {};
  });
  low.setNotificationHandler(v1.RootsListChangedNotificationSchema, () => void received.push('roots changed'));
  return server;
}

function onV2(received: unknown[]): ServerV2 {
  const server = new ServerV2(info, { capabilities });
  const { server: low } = server;
  const subscribed = ({ method, params }: { method: string; params: { uri: string } }) => {
    received.push([method, params.uri]);
    if (params.uri === 'notes://refused') throw Object.assign(new Error('No such note'), { code: -32602 });
    return {};
  };
  low.setRequestHandler('resources/subscribe', subscribed as never);
  low.setRequestHandler('resources/unsubscribe', subscribed as never);
  low.setRequestHandler('logging/setLevel', (({ method, params }: { method: string; params: { level: string } }) => {
    received.push([method, params.level]);
    return {};
  }) as never);
  low.setNotificationHandler('notifications/roots/list_changed', () => void received.push('roots changed'));
  return server;
}

const sdks = [
  ['SDK v1', onV1],
  ['SDK v2', onV2],
] as const;

/** A bridge, and the servers that it has created; `set` is called with each before it is connected. */
async function bridge(
  create: (received: unknown[]) => object,
  set: (low: Low) => void = () => {},
  options: OfficialOptions = {},
) {
  const made: Made[] = [];
  const dropped: string[] = [];
  const factory = () => {
    const received: unknown[] = [];
    const server = create(received) as ServerV1;
    const low = server.server as unknown as Low;
    set(low);
    server.registerResource('a', uri, {}, () => ({ contents: [{ uri, text: 'a' }] }));
    server.registerTool('roots', {}, async () => text(JSON.stringify((await low.listRoots()).roots)));
    server.registerTool('update', {}, async () => {
      await low.sendResourceUpdated({ uri });
      return text('updated');
    });
    made.push({ low, received, close: () => server.close() });
    return server as never;
  };
  const server = await fromOfficial(factory, { onDropped: ({ method }) => dropped.push(method), ...options });
  return { server, made, dropped };
}

function opened(client: Client): Client {
  closing.push(() => client.close());
  return client;
}

/** A raw session whose instance is open. */
async function session(server: Parameters<typeof openAt>[0], version = newestSession) {
  const raw = await openAt(server, version);
  raw.send(raw.ask('first', 'tools/list'));
  await raw.next();
  const ask = async (method: string, params: Json = {}): Promise<Json> => {
    raw.send(raw.ask(method, method, params));
    return raw.next();
  };
  return { ...raw, request: ask };
}

describe.each(sdks)('A server of %s', (_sdk, create) => {
  it.each(sessions)(
    'gets the roots of its session when it is initialized, and its log reaches the client, in %s',
    async (version) => {
      const logs: unknown[] = [];
      const { server } = await bridge(create, (low) => {
        low.oninitialized = async () => {
          const { roots } = await low.listRoots();
          await low.sendLoggingMessage({ level: 'info', data: roots });
        };
      });
      const seen = createDeferred();
      const roots = [{ uri: 'file:///work', name: 'work' }];
      const client = opened(
        await connect(server as never, {
          protocolVersions: [version],
          handlers: { roots: () => roots },
          onLog: ({ data }) => {
            logs.push(data);
            seen.resolve();
          },
        }),
      );
      await client.tools.list().all();
      await withTimeout(seen.promise, 'the log message');
      expect(logs).toEqual([roots]);
    },
  );

  it('does so over HTTP', async () => {
    const seen: unknown[] = [];
    const { server } = await bridge(create, (low) => {
      low.oninitialized = () => void low.listRoots().then((result) => seen.push(result.roots));
    });
    const service = await serveHttp(server, { port: 0 });
    closing.push(() => service.close());
    const roots = [{ uri: 'file:///work' }];
    const client = opened(
      await connect(service.url, { protocolVersions: [newestSession], handlers: { roots: () => roots } }),
    );
    await client.tools.list().all();
    // The server that is listed at the start has a client without roots.
    await expect.poll(() => seen).toEqual([[], roots]);
  });

  it('learns that the roots of its client have changed', async () => {
    const { server, made } = await bridge(create);
    const client = opened(
      await connect(server as never, { protocolVersions: [newestSession], handlers: { roots: () => [] } }),
    );
    await client.tools.list().all();
    await client.sendRootsListChanged();
    await expect.poll(() => made.at(-1)?.received).toEqual(['roots changed']);
  });

  it('logs outside a call to its own session, from the level of the session', async () => {
    const { server, made } = await bridge(create);
    const [one, other] = [await session(server), await session(server)];
    expect(await one.request('logging/setLevel', { level: 'error' })).toMatchObject({ result: {} });
    const own = made.at(-2);
    await expect.poll(() => own?.received).toEqual([['logging/setLevel', 'error']]);
    for (const level of ['info', 'critical']) await own?.low.sendLoggingMessage({ level, data: level });
    expect((await one.settled()).map(({ params }) => (params as Json).data)).toEqual(['critical']);
    expect(await other.settled()).toEqual([]);
  });

  it('receives subscriptions, may refuse one, and its updates reach its session alone', async () => {
    const { server, made } = await bridge(create);
    const [one, other] = [await session(server), await session(server)];
    for (const raw of [one, other])
      expect(await raw.request('resources/subscribe', { uri })).toMatchObject({ result: {} });
    expect(await one.request('resources/subscribe', { uri: 'notes://refused' })).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('No such note') },
    });
    await made.at(-2)?.low.sendResourceUpdated({ uri });
    await made.at(-2)?.low.sendResourceUpdated({ uri: 'notes://refused' });
    expect(await one.settled()).toMatchObject([{ method: 'notifications/resources/updated', params: { uri } }]);
    expect(await other.settled()).toEqual([]);
    expect(await one.request('resources/unsubscribe', { uri })).toMatchObject({ result: {} });
    expect(made.at(-2)?.received).toEqual([
      ['resources/subscribe', uri],
      ['resources/subscribe', 'notes://refused'],
      ['resources/unsubscribe', uri],
    ]);
  });

  it('whose tool updates a resource notifies the session of the call', async () => {
    const { server } = await bridge(create);
    const raw = await session(server);
    await raw.request('resources/subscribe', { uri });
    raw.send(raw.ask('call', 'tools/call', { name: 'update', arguments: {} }));
    const got = [await raw.next(), await raw.next()].map(({ method, id }) => method ?? id).toSorted();
    expect(got).toEqual(['call', 'notifications/resources/updated']);
  });

  it('has subscriptions without a session counted, and ended with the last of them', async () => {
    const { server, made } = await bridge(create);
    const raw = await openAt(server, exchangeVersion);
    const filter = { resourceSubscriptions: [uri, 'notes://refused'] };
    for (const id of ['one', 'two']) raw.send(raw.ask(id, 'subscriptions/listen', { notifications: filter }));
    for (const _ of [1, 2])
      expect(await raw.next()).toMatchObject({ params: { notifications: { resourceSubscriptions: [uri] } } });
    const own = made.at(-1);
    await own?.low.sendResourceUpdated({ uri });
    expect(await raw.settled()).toHaveLength(2);
    const cancel = (requestId: string): void =>
      raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
    cancel('one');
    await raw.settled();
    expect(own?.received).not.toContainEqual(['resources/unsubscribe', uri]);
    cancel('two');
    await raw.settled();
    await expect.poll(() => own?.received).toContainEqual(['resources/unsubscribe', uri]);
    expect(own?.received.filter((one) => (one as string[])[1] === uri)).toHaveLength(2);
  });

  it('without a session gets the roots of the last call, and an error before', async () => {
    const { server, made, dropped } = await bridge(create);
    const service = await serveHttp(server, { port: 0, authenticate: () => 'ada' });
    closing.push(() => service.close());
    const roots = [{ uri: 'file:///work' }];
    const client = opened(
      await connect(service.url, { protocolVersions: [exchangeVersion], handlers: { roots: () => roots } }),
    );
    await client.tools.list().all();
    await expect(made.at(-1)?.low.listRoots()).rejects.toMatchObject({ code: -32601 });
    await client.tools.call('roots');
    expect(await made.at(-1)?.low.listRoots()).toMatchObject({ roots });
    await made.at(-1)?.low.sendLoggingMessage({ level: 'error', data: 'no client' });
    expect(dropped).toEqual(['roots/list', 'notifications/message']);
  });

  it('may ask the user outside a call in a session, unless a policy decides about calls', async () => {
    const params = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
    const handlers = { elicitForm: () => ({ action: 'decline' as const }) };
    const policy = createPolicy('version: 1\nrules: [{ id: a, allow: [list, call], to: any, on: any }]');
    const asked = async (options: OfficialOptions) => {
      const { server, made } = await bridge(create, undefined, options);
      const client = opened(await connect(server as never, { protocolVersions: [newestSession], handlers }));
      await client.tools.list().all();
      return made.at(-1)?.low.elicitInput(params);
    };
    expect(await asked({})).toMatchObject({ action: 'decline' });
    await expect(asked({ guard: guard({ policy }) })).rejects.toThrow('only sent during a call');
  });

  it('that is shared gets the subscriptions of all, and sends its requests and logs to none', async () => {
    const { server, made, dropped } = await bridge(create, undefined, { shared: true });
    const [one, other] = [await session(server), await session(server)];
    for (const raw of [one, other]) await raw.request('resources/subscribe', { uri });
    const [only] = made;
    await only?.low.sendResourceUpdated({ uri });
    for (const raw of [one, other])
      expect(await raw.settled()).toMatchObject([{ method: 'notifications/resources/updated' }]);
    one.transport.close();
    expect(await other.settled()).toEqual([]);
    expect(only?.received).toEqual([['resources/subscribe', uri]]);
    await only?.low.sendLoggingMessage({ level: 'error', data: 'no client' });
    await expect(only?.low.listRoots()).rejects.toMatchObject({ code: -32601 });
    expect(await other.settled()).toEqual([]);
    expect(dropped).toEqual(['notifications/message', 'roots/list']);
    other.transport.close();
    await expect.poll(() => only?.received.at(-1)).toEqual(['resources/unsubscribe', uri]);
  });

  it('learns the subscriptions of a session that goes on at another endpoint', async () => {
    const { server, made } = await bridge(create, undefined, { secrets: ['a secret of more than 16 characters'] });
    const store = createMemoryStore();
    const [here, there] = [await serveHttp(server, { port: 0, store }), await serveHttp(server, { port: 0, store })];
    for (const service of [here, there]) closing.push(() => service.close());
    const post = async (url: string, message: Json, session?: string) =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session !== undefined && { 'mcp-session-id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
    const params = { protocolVersion: newestSession, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const begun = await post(here.url, { id: 1, method: 'initialize', params });
    const id = begun.headers.get('mcp-session-id') ?? '';
    await post(here.url, { method: 'notifications/initialized' }, id);
    await (await post(here.url, { id: 2, method: 'resources/subscribe', params: { uri } }, id)).text();
    await here.close();
    const before = made.length;
    await (await post(there.url, { id: 3, method: 'tools/list', params: {} }, id)).text();
    expect(made.length).toBe(before + 1);
    await expect.poll(() => made.at(-1)?.received).toEqual([['resources/subscribe', uri]]);
  });
});

/** A raw session whose client declares something. */
async function declaring(server: Parameters<typeof openRaw>[0], capabilities: Json) {
  const raw = openRaw(server);
  const params = { protocolVersion: newestSession, capabilities, clientInfo: info };
  raw.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await raw.next();
  raw.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return raw;
}

/** A server whose tool asks for a name, with `_meta` of its own, and stores the answers. */
const asking = (answers: unknown[]) =>
  fromOfficial(() => {
    const one = new ServerV1(info);
    one.registerTool('ask', {}, async ({ sendRequest }) => {
      const requestedSchema = { type: 'object' as const, properties: {} };
      const params = { message: 'Name?', requestedSchema, _meta: { 'a.example/b': 1 } };
      const options = { onprogress: (progress: unknown) => answers.push(progress) };
      const request = { method: 'elicitation/create', params } as const;
      answers.push(await sendRequest(request as never, v1.ElicitResultSchema, options));
      return text('asked');
    });
    return one;
  });

const beyondForm = { action: 'accept' as const, content: { beyond: 'the form' } };

describe('A request of a handler', () => {
  it.each(versions.filter((version) => isSince(version, '2025-06-18')))(
    'keeps its _meta, and its answer is passed on as it is, in %s',
    async (version) => {
      const answers: unknown[] = [];
      const server = await asking(answers);
      const seen: unknown[] = [];
      const elicitForm = (request: unknown) => {
        seen.push(request);
        return beyondForm;
      };
      const client = opened(await connect(server as never, { protocolVersions: [version], handlers: { elicitForm } }));
      await client.tools.call('ask');
      expect(seen).toMatchObject([{ message: 'Name?' }]);
      expect(answers).toMatchObject([beyondForm]);
    },
  );

  it('has its _meta in the message to a session, without the keys of the connection to the instance', async () => {
    const server = await asking([]);
    const raw = await declaring(server, { elicitation: {} });
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask', arguments: {} } });
    const asked = await raw.next();
    expect(asked).toMatchObject({ method: 'elicitation/create', params: { message: 'Name?' } });
    expect(Object.keys((asked.params as Json)._meta as Json).toSorted()).toEqual(['a.example/b', 'progressToken']);
    expect((asked.params as Json)._meta).toMatchObject({ 'a.example/b': 1 });
  });

  it('gets the progress of a client in a session', async () => {
    const answers: unknown[] = [];
    const server = await asking(answers);
    const client = opened(
      await connect(server as never, {
        protocolVersions: [newestSession],
        handlers: {
          elicitForm: (_request, { reportProgress }) => {
            reportProgress(1, 2);
            return beyondForm;
          },
        },
      }),
    );
    await client.tools.call('ask');
    expect(answers).toMatchObject([{ progress: 1, total: 2 }, beyondForm]);
  });

  it('that its client refuses fails with the error of the client', async () => {
    const server = await fromOfficial(() => {
      const one = new ServerV1(info);
      one.registerTool('ask', {}, async () => {
        const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'hi' } }];
        return one.server.createMessage({ messages, maxTokens: 1 }).then(
          () => text('sampled'),
          ({ code, message }) => text(`${code} ${message}`),
        );
      });
      return one;
    });
    const client = opened(
      await connect(server as never, {
        protocolVersions: [newestSession],
        handlers: { sample: () => Promise.reject(new Error('No model today')) },
      }),
    );
    const { content } = await client.tools.call('ask');
    expect(content).toMatchObject([{ text: expect.stringMatching(/^-32\d+ /) }]);
  });
});

describe('An elicitation by URL', () => {
  it('is reported complete outside a call to the session that it was sent to', async () => {
    const { server, made } = await bridge(onV1);
    const raw = await declaring(server, { elicitation: { url: {} } });
    raw.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    await raw.next();
    const params = { elicitationId: 'e1' };
    await made.at(-1)?.low.notification({ method: 'notifications/elicitation/complete', params });
    expect(await raw.settled()).toMatchObject([{ method: 'notifications/elicitation/complete', params }]);
  });
});

describe('A bridged server that is mounted in another', () => {
  it('has its instances closed with the connections of the other', async () => {
    const { server, made } = await bridge(onV1);
    const outer = createServer({ name: 'outer', version: '1', mounts: { inner: server as never } });
    const client = await connect(outer as never, { protocolVersions: [newestSession] });
    expect(await client.tools.call('inner_update')).toMatchObject({ content: [{ text: 'updated' }] });
    const ended = createDeferred();
    const own = made.at(-1) as Made;
    (own.low as { onclose?: () => void }).onclose = () => ended.resolve();
    await client.close();
    await withTimeout(ended.promise, 'the end of the instance');
  });
});
