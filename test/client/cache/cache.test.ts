/** The client's cache of lists and reads: lifetime, invalidation, scope and size. */
import { type ConnectOptions, connect, createServer, type ProtocolVersion, RpcError, resource, tool } from 'tenon';
import { protocolVersions } from 'tenon/protocol';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../src/lib/time/fake-clock.ts';
import { withClock } from '../../../src/lib/time/internal-deadlines.ts';
import { deferred } from '../../kit/deferred.ts';
import { withFixed } from '../../kit/fixed-limits.ts';
import { inbox } from '../../kit/inbox.ts';
import type { Json } from '../../kit/transport/raw-connection.ts';
import { scriptedAt } from '../../kit/transport/scripted-server.ts';
import { sessionVersions } from '../../kit/version-order.ts';

const exchange = '2026-07-28' as const;
const sessions = sessionVersions;
const named = (name: string): Json => ({ name, inputSchema: { type: 'object' } });
const capabilities = { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } };

/** A server that answers each request by a function of its params, and counts the requests. */
async function counted(
  results: (method: string, params: Json, times: number) => Json,
  options: ConnectOptions = {},
  revision: ProtocolVersion = exchange,
) {
  const clock = createFakeClock();
  const requested: string[] = [];
  const { client, send } = scriptedAt(
    revision,
    capabilities,
    ({ method, params = {} }) => {
      const { uri, cursor } = params as Json;
      const key = [method, uri ?? cursor].filter((one) => one !== undefined).join(' ');
      requested.push(key);
      return results(method as string, params as Json, requested.filter((one) => one === key).length);
    },
    { ...withClock(clock), ...options },
  );
  return { client: await client, clock, requested, send };
}

const tools = (hint: Json) => (_method: string, _params: Json, times: number) => ({
  tools: [named(`t${times}`)],
  ...hint,
});
const names = async (listed: Promise<ReadonlyArray<{ name: string }>>): Promise<string[]> =>
  (await listed).map(({ name }) => name);

describe('A fresh result', () => {
  it('is served again without a request until its ttlMs has passed [e-caching-07, e-caching-12]', async () => {
    const { client, clock, requested } = await counted(tools({ ttlMs: 1000 }));
    expect(await names(client.tools.list().all())).toEqual(['t1']);
    clock.advance(999);
    expect(await names(client.tools.list().all())).toEqual(['t1']);
    expect(requested).toEqual(['tools/list']);
    clock.advance(1);
    expect(await names(client.tools.list().all())).toEqual(['t2']);
    expect(client.cache.stats()).toEqual({ hits: 1, misses: 2, joined: 0, unchanged: 0 });
    await client.close();
  });

  it.each([
    ['with a ttlMs of zero', { ttlMs: 0 }],
    ['with a negative ttlMs', { ttlMs: -5 }],
    ['without a ttlMs', { ttlMs: undefined }],
  ])('is never one %s [e-caching-05, e-caching-08, e-caching-09]', async (_which, hint) => {
    const { client } = await counted(tools(hint));
    expect(await names(client.tools.list().all())).toEqual(['t1']);
    expect(await names(client.tools.list().all())).toEqual(['t2']);
    await client.close();
  });

  it('serves only the same method and parameters [e-caching-03]', async () => {
    const read = (_method: string, { uri }: Json, times: number) => ({
      contents: [{ uri, text: `${times}` }],
      resources: [],
      ttlMs: 1000,
    });
    const { client, requested } = await counted(read);
    for (const uri of ['a://1', 'a://2', 'a://1']) {
      expect((await client.resources.read(uri)).contents).toEqual([{ uri, text: '1' }]);
    }
    await client.resources.list().all();
    expect(requested).toEqual(['resources/read a://1', 'resources/read a://2', 'resources/list']);
    await client.close();
  });

  it('is replaced by a reload, and bypassed by a call with `meta` and with the cache off', async () => {
    const { client, requested } = await counted(tools({ ttlMs: 1000 }));
    await client.tools.list().all();
    expect(await names(client.tools.list({ cache: 'reload' }).all())).toEqual(['t2']);
    expect(await names(client.tools.list().all())).toEqual(['t2']);
    expect(await names(client.tools.list({ meta: { 'example/who': 'a' } }).all())).toEqual(['t3']);
    expect(await names(client.tools.list().all())).toEqual(['t2']);
    client.cache.clear();
    expect(await names(client.tools.list().all())).toEqual(['t4']);
    expect(requested).toHaveLength(4);
    await client.close();
    const off = await counted(tools({ ttlMs: 1000 }), { cache: false });
    await off.client.tools.list().all();
    expect(await names(off.client.tools.list().all())).toEqual(['t2']);
    await off.client.close();
  });

  it('is frozen, because all callers get the same object', async () => {
    const { client } = await counted(tools({ ttlMs: 1000 }));
    const [one] = await client.tools.list().all();
    expect(() => Object.assign(one as object, { name: 'other' })).toThrow(TypeError);
    expect((await client.tools.list().all())[0]).toBe(one);
    await client.close();
  });

  it('is not served by a closed client', async () => {
    const { client } = await counted(tools({ ttlMs: 1000 }));
    await client.tools.list().all();
    await client.close();
    await expect(client.tools.list().all()).rejects.toMatchObject({ code: 'connection-closed' });
  });

  it('is evicted when the cache is full, least recently used first', async () => {
    const read = (_method: string, { uri }: Json) => ({ contents: [{ uri, text: 'x' }], ttlMs: 1000 });
    const { client, requested } = await counted(read, { cache: withFixed({}, { maxEntries: 2 }) });
    for (const uri of ['a://1', 'a://2', 'a://1', 'a://3', 'a://1', 'a://2']) await client.resources.read(uri);
    expect(requested.map((one) => one.slice(-1))).toEqual(['1', '2', '3', '2']);
    await client.close();
    const small = await counted(read, { cache: { maxChars: 20 } });
    for (const uri of ['a://1', 'a://1']) await small.client.resources.read(uri);
    expect(small.requested).toHaveLength(2);
    await small.client.close();
  });
});

describe('A result that depends on answers of the user', () => {
  it('is not cached, even if the server sends a ttlMs [e-caching-04]', async () => {
    const elicitation = {
      method: 'elicitation/create',
      params: { message: '?', requestedSchema: { type: 'object', properties: {} } },
    };
    const { client, requested } = await counted(
      (_method, { uri, requestState }) =>
        requestState === undefined
          ? {
              resultType: 'input_required',
              inputRequests: { a: elicitation },
              requestState: 's',
              ttlMs: undefined,
              cacheScope: undefined,
            }
          : { contents: [{ uri, text: 'x' }], ttlMs: 1000 },
      { handlers: { elicitForm: () => ({ action: 'accept', content: {} }) } },
    );
    await client.resources.read('a://1');
    await client.resources.read('a://1');
    expect(requested).toHaveLength(4);
    await client.close();
  });
});

describe('A change notification', () => {
  const server = (revision: ProtocolVersion) => {
    const served = createServer({
      name: 's',
      version: '1',
      cache: { ttlMs: 60_000, scope: 'private' },
      tools: { a: tool({}, () => 'a') },
      resources: { 'a://1': resource({}, () => 'x'), 'a://2': resource({}, () => 'x') },
    });
    return { served, options: { protocolVersions: [revision], cache: { ttlMs: 60_000 } } };
  };

  it.each(protocolVersions)('invalidates what it names and nothing else, at %s [e-caching-22]', async (revision) => {
    const { served, options } = server(revision);
    await using client = await connect(served, options);
    await using changes = await client.subscribe({ toolsListChanged: true, resourceSubscriptions: ['a://1'] });
    const look = async (): Promise<void> => {
      await client.tools.list().all();
      await client.resources.read('a://1');
      await client.resources.read('a://2');
    };
    const received = changes[Symbol.asyncIterator]();
    await look();
    await look();
    expect(client.cache.stats()).toMatchObject({ hits: 3, misses: 3 });
    served.sendResourceUpdated('a://1');
    await received.next();
    await look();
    expect(client.cache.stats()).toMatchObject({ hits: 5, misses: 4 });
    served.update((draft) => {
      draft.tools.b = tool({}, () => 'b');
    });
    await received.next();
    expect(await names(client.tools.list().all())).toEqual(['a', 'b']);
    expect(client.cache.stats()).toMatchObject({ hits: 5, misses: 5 });
  });

  it('that arrives while a list is being fetched prevents caching that list', async () => {
    const sent = deferred();
    const go = deferred<Json>();
    const { client: connecting, send } = scriptedAt(
      '2025-11-25',
      capabilities,
      ({ id }, answer) => {
        void go.promise.then((result) => answer({ jsonrpc: '2.0', id, result }));
        sent.resolve();
        return undefined;
      },
      { cache: { ttlMs: 60_000 } },
    );
    const client = await connecting;
    const first = client.tools.list().all();
    await sent.promise;
    send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    go.resolve({ tools: [named('old')] });
    await first;
    await client.tools.list().all();
    expect(client.cache.stats()).toEqual({ hits: 0, misses: 2, joined: 0, unchanged: 0 });
    await client.close();
  });

  it.each(protocolVersions)('does not call a watcher if the content is unchanged, at %s', async (revision) => {
    let text = 'first';
    const served = createServer({
      name: 's',
      version: '1',
      resources: { 'a://1': resource({}, () => text), 'a://2': resource({}, () => text) },
    });
    await using client = await connect(served, { protocolVersions: [revision] });
    const { put, next } = inbox<unknown>();
    await client.resources.watch('a://1', ([part]) => put((part as { text: string }).text));
    expect(await next()).toBe('first');
    const other = inbox<unknown>();
    await client.resources.watch('a://2', ([part]) => other.put((part as { text: string }).text));
    served.sendResourceUpdated('a://1');
    text = 'second';
    served.sendResourceUpdated('a://2');
    expect([await other.next(), await other.next()]).toEqual(['first', 'second']);
    text = 'third';
    served.sendResourceUpdated('a://1');
    expect(await next()).not.toBe('first');
  });
});

describe('Watching', () => {
  it('begins with the current list of the server, not with one cached before the subscription', async () => {
    await using client = await connect(
      createServer({
        name: 's',
        version: '1',
        cache: { ttlMs: 60_000, scope: 'private' },
        tools: { a: tool({}, () => 'a') },
      }),
    );
    await client.tools.list().all();
    const seen = inbox<string[]>();
    const watching = await client.tools.watchList((list) => seen.put(list.map(({ name }) => name)));
    expect(await seen.next()).toEqual(['a']);
    expect(client.cache.stats()).toMatchObject({ hits: 0, misses: 2 });
    await watching.close();
  });
});

describe('A list that is fetched again', () => {
  it('stays the same object if it is equal', async () => {
    const { client, clock } = await counted(() => ({ tools: [named('a')], ttlMs: 1000 }));
    const [before] = await client.tools.list().all();
    clock.advance(1000);
    expect((await client.tools.list().all())[0]).toBe(before);
    expect(client.cache.stats()).toMatchObject({ misses: 2, unchanged: 1 });
    await client.close();
  });

  it('fetches only the stale pages, by their own cursors [e-caching-24]', async () => {
    const { client, clock, requested } = await counted((_method, { cursor }, times) =>
      cursor === undefined
        ? { tools: [named(`a${times}`)], nextCursor: 'c', ttlMs: 5000 }
        : { tools: [named(`b${times}`)], ttlMs: 1000 },
    );
    await client.tools.list().all();
    clock.advance(1000);
    expect(await names(client.tools.list().all())).toEqual(['a1', 'b2']);
    expect(requested).toEqual(['tools/list', 'tools/list c', 'tools/list c']);
    expect(await names(client.tools.list({ cache: 'reload' }).all())).toEqual(['a2', 'b3']);
    await client.close();
  });

  it('starts from the first page when a cached cursor is rejected [e-caching-26]', async () => {
    let good = 'c1';
    const received: unknown[] = [];
    const { client: connecting } = scriptedAt(exchange, capabilities, ({ id, params }, send) => {
      const { cursor } = params as Json;
      received.push(cursor);
      if (cursor === undefined) return { tools: [named('a')], nextCursor: good, ttlMs: 60_000 };
      if (cursor === good) return { tools: [named(good)], ttlMs: 0 };
      send({ jsonrpc: '2.0', id, error: { code: -32602, message: 'Unknown cursor' } });
      return undefined;
    });
    const client = await connecting;
    expect(await names(client.tools.list().all())).toEqual(['a', 'c1']);
    good = 'c2';
    expect(await names(client.tools.list().all())).toEqual(['a', 'c2']);
    expect(received).toEqual([undefined, 'c1', 'c1', undefined, 'c2']);
    good = 'c3';
    const walked = (async () => {
      const found: string[] = [];
      for await (const { name } of client.tools.list()) found.push(name);
      return found;
    })();
    await expect(walked).rejects.toBeInstanceOf(RpcError);
    expect(await names(client.tools.list().all())).toEqual(['a', 'c3']);
    await client.close();
  });
});

describe('A session', () => {
  it.each(sessions)('at %s caches nothing unless the client sets a ttlMs', async (revision) => {
    const uncached = await counted(tools({}), {}, revision);
    await uncached.client.tools.list().all();
    expect(await names(uncached.client.tools.list().all())).toEqual(['t2']);
    await uncached.client.close();
    const cached = await counted(tools({}), { cache: { ttlMs: 1000 } }, revision);
    await cached.client.tools.list().all();
    expect(await names(cached.client.tools.list().all())).toEqual(['t1']);
    cached.clock.advance(1000);
    expect(await names(cached.client.tools.list().all())).toEqual(['t2']);
    await cached.client.close();
  });
});

describe.each(protocolVersions)('Equal pending requests at %s', (revision) => {
  const waiting = async () => {
    const received = inbox<Json>();
    const abandoned = inbox<unknown>();
    const server = createServer({
      name: 's',
      version: '1',
      resources: {
        'a://1': resource({}, ({ signal }) => {
          const go = deferred<string>();
          signal.addEventListener('abort', () => abandoned.put(signal.reason));
          received.put({ go: go.resolve });
          return go.promise;
        }),
      },
    });
    const client = await connect(server, { protocolVersions: [revision] });
    const next = async (): Promise<(text: string) => void> => (await received.next()).go as (text: string) => void;
    return { client, next, abandoned };
  };

  it('share one response', async () => {
    const { client, next } = await waiting();
    const reads = [client.resources.read('a://1'), client.resources.read('a://1')];
    (await next())('x');
    const [one, other] = await Promise.all(reads);
    expect(one).toEqual(other);
    expect(client.cache.stats()).toMatchObject({ misses: 1, joined: 1 });
    await client.close();
  });

  it('are cancelled one by one, and at the server with the last', async () => {
    const { client, next, abandoned } = await waiting();
    const first = new AbortController();
    const second = new AbortController();
    const one = client.resources.read('a://1', { signal: first.signal });
    const other = client.resources.read('a://1', { signal: second.signal });
    await next();
    first.abort();
    await expect(one).rejects.toMatchObject({ code: 'cancelled' });
    const third = client.resources.read('a://1', { signal: second.signal });
    second.abort();
    await expect(other).rejects.toMatchObject({ code: 'cancelled' });
    await expect(third).rejects.toMatchObject({ code: 'cancelled' });
    expect(await abandoned.next()).toBeDefined();
    const again = client.resources.read('a://1');
    (await next())('again');
    expect((await again).contents).toMatchObject([{ text: 'again' }]);
    await client.close();
  });

  it('are sent separately when one has its own timeout', async () => {
    const { client, next } = await waiting();
    const one = client.resources.read('a://1');
    const other = client.resources.read('a://1', { timeoutMs: 5000 });
    (await next())('1');
    (await next())('2');
    expect([(await one).contents, (await other).contents]).toMatchObject([[{ text: '1' }], [{ text: '2' }]]);
    await client.close();
  });
});

it('a list that is out of date is fetched when it is used, and never polled for [e-caching-14]', async () => {
  const { client, clock, requested } = await counted(tools({ ttlMs: 1000, cacheScope: 'private' }));
  await client.tools.list().all();
  for (let minute = 0; minute < 60; minute++) clock.advance(60_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(requested).toEqual(['tools/list']);
  expect(await client.tools.list().all()).toMatchObject([{ name: 't2' }]);
  await client.close();
});
