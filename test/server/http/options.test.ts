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
  ['cors', '*'],
  ['cors', ['*']],
  ['authenticate', 'Bearer'],
  ['principal', 'ada'],
  ['onWarning', {}],
  ['logger', console.log],
  ['store', 'redis'],
  ['store', {}],
  ['store', { sessions: {}, events: {}, bus: {} }],
  ['sessions', 'no'],
  ['strict', 1],
  ['maxSessions', 0],
  ['maxRunning', -1],
  ['maxWaiting', '4'],
  ['maxStreamChars', 0.5],
  ['maxSessionChars', 0],
  ['maxSessionChars', 10],
  ['maxStreams', Number.NaN],
  ['maxBody', -1],
  ['idleMs', -5],
  ['lifetimeMs', Number.NaN],
  ['keepAliveMs', 0],
  ['answerTimeoutMs', 2 ** 31],
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
  ['graceMs', -1],
  ['headersTimeoutMs', 0],
  ['headersTimeoutMs', 1000.5],
  ['requestTimeoutMs', '30'],
  ['requestTimeoutMs', 0.5],
  ['stallTimeoutMs', 0],
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
    await expect(serveHttp(server, untyped({ port: 0, [name]: value }))).rejects.toMatchObject(refusal(name));
  });

  it.each(wrongAnywhere)('%s of %j is refused by handlers', (name, value) => {
    expect(thrownBy(() => toNodeHandler(server, untyped({ [name]: value })))).toMatchObject(refusal(name));
    expect(thrownBy(() => toFetchHandler(server, untyped({ [name]: value })))).toMatchObject(refusal(name));
  });

  it('that nobody knows is refused, with the one that was meant', async () => {
    const meant = { code: 'invalid-argument', hint: 'Did you mean authenticate?' };
    const misspelt = untyped({ authentcate: () => undefined });
    await expect(serveHttp(server, misspelt)).rejects.toMatchObject(meant);
    expect(thrownBy(() => toNodeHandler(server, misspelt))).toMatchObject(meant);
    expect(thrownBy(() => toFetchHandler(server, misspelt))).toMatchObject(meant);
    expect(thrownBy(() => serveStdio(server, untyped({ gracems: 1 })))).toMatchObject({
      hint: 'Did you mean graceMs?',
    });
  });

  it('that is sound is taken', async () => {
    const sound = {
      allowedHosts: ['mcp.example', '[::1]'],
      allowedOrigins: ['https://app.example:8080', 'null'],
      cors: ['chrome-extension://abcdef'],
      maxRunning: Number.POSITIVE_INFINITY,
      idleMs: Number.POSITIVE_INFINITY,
      lifetimeMs: Number.POSITIVE_INFINITY,
      maxSessionChars: 1024,
      graceMs: 0,
      path: '/',
      legacySse: { stream: '/a', messages: '/b' },
    };
    const service = await serveHttp(server, { port: 0, ...sound });
    expect(new URL(service.url).pathname).toBe('/');
    await service.close();
  });
});

it.each([{ headersTimeoutMs: 10_001 }, { requestTimeoutMs: 4999 }])(
  'a time that is odd is a time like any other: %j',
  async (odd) => {
    const { url } = await serve(odd);
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
      .filter((name) => name !== 'epoch' && !(part === 'events' && name === 'sweep'))
      .map((name) => [part, name] as const),
  );

  it.each(methods)('that lacks %s.%s() is refused, with its name', (part, name) => {
    const store = { ...parts, [part]: { ...parts[part], [name]: undefined } } as unknown as Store;
    expect(thrownBy(() => toFetchHandler(server, { store }))).toMatchObject({
      ...refusal('store'),
      hint: expect.stringContaining(`have ${part}.${name}(), `),
    });
  });

  it('whose methods are inherited is taken', async () => {
    const store: Store = Object.create({
      sessions: Object.create(sessions),
      events: Object.create(events),
      bus: Object.create(bus),
    });
    const handle = toFetchHandler(sampleServer({ secrets }).server, { store });
    expect(handle.counts().sessions).toBe(0);
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
