/** Options that could only fail later are refused when they are given, with the place and the mend. */
import { serveHttp, serveStdio, toFetchHandler, toNodeHandler } from 'tenon';
import { createMemoryStore, type Store } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { loneCall } from '../../kit/http/messages.ts';
import { open, send } from '../../kit/http/raw-http.ts';
import { sampleServer, serve } from '../../kit/http/sample-server.ts';
import { secrets } from './session/two-nodes.ts';

const { server } = sampleServer();
/** Options as programs without types give them. */
const untyped = (options: object): object => options;
/** An option by its path, such as `limits.maxStreams`. */
const option = (path: string, value: unknown): object => {
  const [name = '', member] = path.split('.');
  return { [name]: member === undefined ? value : { [member]: value } };
};

const wrongAnywhere: readonly (readonly [string, unknown])[] = [
  ['allowedHosts', 'example.com'],
  ['allowedHosts', ['example.com:443']],
  ['allowedHosts', ['https://example.com']],
  ['allowedHosts', []],
  ['allowedHosts', ['*']],
  ['allowedHosts', ['*.example.com']],
  ['allowedHosts', ['bücher.example']],
  ['allowedOrigins', 'https://app.example'],
  ['allowedOrigins', ['https://app.example/']],
  ['allowedOrigins', '*'],
  ['allowedOrigins', ['*']],
  ['authenticate', 'Bearer'],
  ['onWarning', {}],
  ['logger', console.log],
  ['sessions', 'no'],
  ['sessions', true],
  ['sessions.store', 'redis'],
  ['sessions.store', {}],
  ['sessions.store', { sessions: {}, events: {}, bus: {} }],
  ['sessions.maxCount', 0],
  ['sessions.idleTimeoutMs', -5],
  ['sessions.maxAgeMs', Number.NaN],
  ['strict', 1],
  ['limits', 5],
  ['limits.maxConcurrentCalls', -1],
  ['limits.maxQueuedChars', '4'],
  ['limits.maxStreamChars', 0.5],
  ['limits.maxSessionChars', 0],
  ['limits.maxSessionChars', 10],
  ['limits.maxStreams', Number.NaN],
  ['limits.maxBodyBytes', -1],
  ['limits.maxMessageChars', 0],
  ['limits.maxDepth', 1001],
  ['limits.maxBatch', '1'],
  ['timeouts', 5],
  ['timeouts.keepAliveMs', 0],
  ['timeouts.inputMs', 2 ** 31],
  ['timeouts.shutdownMs', -1],
];
const wrongWhereListening: readonly (readonly [string, unknown])[] = [
  ['port', 'abc'],
  ['port', 70_000],
  ['port', 1.5],
  ['host', ''],
  ['path', 'mcp'],
  ['path', '/mcp?x'],
  ['legacySse', true],
  ['legacySse', { stream: 'sse', messages: '/messages' }],
  ['tls', 'key'],
  ['notFound', 404],
  ['timeouts.headersMs', 0],
  ['timeouts.headersMs', 1000.5],
  ['timeouts.requestMs', '30'],
  ['timeouts.requestMs', 0.5],
  ['timeouts.stallMs', 0],
  ['closeOnSignals', 'SIGTERM'],
];

const refusal = (name: string): object => ({
  code: 'invalid-argument',
  message: expect.stringContaining(`${name} `),
  hint: expect.any(String),
});

const thrownBy = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};

describe('an option', () => {
  it.each([...wrongAnywhere, ...wrongWhereListening])('%s of %j is refused by serveHttp', async (name, value) => {
    await expect(serveHttp(server, untyped({ port: 0, ...option(name, value) }))).rejects.toMatchObject(refusal(name));
  });

  it.each(wrongAnywhere)('%s of %j is refused by handlers', (name, value) => {
    expect(thrownBy(() => toNodeHandler(server, option(name, value)))).toMatchObject(refusal(name));
    expect(thrownBy(() => toFetchHandler(server, option(name, value)))).toMatchObject(refusal(name));
  });

  it('that nobody knows is refused, with the one that was meant', async () => {
    const meant = { code: 'invalid-argument', hint: 'Did you mean authenticate?' };
    const misspelt = untyped({ authentcate: () => undefined });
    await expect(serveHttp(server, misspelt)).rejects.toMatchObject(meant);
    expect(thrownBy(() => toNodeHandler(server, misspelt))).toMatchObject(meant);
    expect(thrownBy(() => toFetchHandler(server, misspelt))).toMatchObject(meant);
    expect(thrownBy(() => serveStdio(server, untyped({ timeouts: { shutdown: 1 } })))).toMatchObject({
      hint: 'Did you mean timeouts.shutdownMs?',
    });
  });

  it.each([
    ['limits.maxBody', 'limits.maxBodyBytes'],
    ['timeouts.keepAlive', 'timeouts.keepAliveMs'],
    ['sessions.maxcount', 'sessions.maxCount'],
  ])('%s of a group is refused, with %s that was meant', (misspelt, meant) => {
    expect(thrownBy(() => toFetchHandler(server, option(misspelt, 5)))).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(`${misspelt} is not an option.`),
      hint: `Did you mean ${meant}?`,
    });
  });

  it('of listening alone is not one of handlers', () => {
    expect(() => toFetchHandler(server, option('timeouts.stallMs', 5))).toThrow('timeouts.stallMs is not an option.');
  });

  it('that is sound is taken', async () => {
    const sound = {
      allowedHosts: ['mcp.example', '[::1]'],
      allowedOrigins: ['https://app.example:8080', 'null', 'chrome-extension://abcdef'],
      limits: { maxConcurrentCalls: Number.POSITIVE_INFINITY, maxSessionChars: 1024 },
      sessions: { idleTimeoutMs: Number.POSITIVE_INFINITY, maxAgeMs: Number.POSITIVE_INFINITY },
      timeouts: { shutdownMs: 0 },
      path: '/',
      legacySse: { stream: '/a', messages: '/b' },
    };
    const service = await serveHttp(server, { port: 0, ...sound });
    expect(new URL(service.url).pathname).toBe('/');
    await service.close();
  });
});

it.each([{ headersMs: 10_001 }, { requestMs: 4999 }])(
  'a time that is odd is a time like any other: %j',
  async (odd) => {
    const { url } = await serve({ timeouts: odd });
    expect((await send(url, loneCall('echo', { text: 'x' }))).status).toBe(200);
  },
);

it.each(['/ü', '/a/../b', '/{mcp}'])('a path is served as clients ask for it: %s', async (path) => {
  const sse = { stream: `${path}/sse`, messages: `${path}/messages` };
  const { url } = await serve({ path, legacySse: sse });
  expect(new URL(url).href).toBe(url);
  expect((await send(url, loneCall('echo', { text: 'x' }))).status).toBe(200);
  const stream = await open(`${url}/sse`, { method: 'GET', headers: { accept: 'text/event-stream' } });
  await stream.until(() => stream.text().includes(`data: ${new URL(url).pathname}/messages?`), 'where to post');
  stream.cut();
});

it('paths that are one when they are asked for are refused, however they are written', async () => {
  const same = { path: '/ü', legacySse: { stream: '/%C3%BC', messages: '/messages' } };
  await expect(serveHttp(server, { port: 0, ...same })).rejects.toMatchObject(refusal('legacySse'));
});

describe('a store', () => {
  const { sessions, events, bus } = createMemoryStore();
  const parts: Readonly<Record<string, object>> = { sessions, events, bus };
  const methods = Object.entries(parts).flatMap(([part, all]) =>
    Object.keys(all)
      .filter((name) => name !== 'epoch' && !(part === 'events' && name === 'deleteExpired'))
      .map((name) => [part, name] as const),
  );

  it.each(methods)('that lacks %s.%s() is refused, with its name', (part, name) => {
    const store = { ...parts, [part]: { ...parts[part], [name]: undefined } } as unknown as Store;
    expect(thrownBy(() => toFetchHandler(server, { sessions: { store } }))).toMatchObject({
      ...refusal('sessions.store'),
      hint: expect.stringContaining(`have ${part}.${name}(), `),
    });
  });

  it('whose methods are inherited is taken', async () => {
    const store: Store = Object.create({
      sessions: Object.create(sessions),
      events: Object.create(events),
      bus: Object.create(bus),
    });
    const handle = toFetchHandler(sampleServer({ secrets }).server, { sessions: { store } });
    expect(handle.stats().sessions).toBe(0);
    await handle.close();
  });
});

it('what is no server, or no options, is refused', async () => {
  await expect(serveHttp({} as typeof server)).rejects.toMatchObject({ code: 'invalid-argument' });
  await expect(serveHttp(server, null as unknown as object)).rejects.toMatchObject({ code: 'invalid-argument' });
  // @ts-expect-error: a program with types learns it from the compiler.
  expect(() => toFetchHandler({})).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  expect(() => toNodeHandler({ ...server })).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
});
