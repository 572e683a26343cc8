/** Invalid options are rejected at once, with the name of the option and a hint. */
import { serveHttp, serveStdio, toFetchHandler, toNodeHandler } from 'tenon';
import { createMemoryStore, type Store } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
import { loneCall } from '../../kit/http/messages.ts';
import { open, send } from '../../kit/http/raw-http.ts';
import { sampleServer, serve } from '../../kit/http/sample-server.ts';
import { secrets } from './session/two-nodes.ts';

const { server } = sampleServer();
/** Options as JavaScript programs without types pass them. */
const untyped = (options: object): object => options;
/** An option by its path, such as `limits.maxStreams`. */
const option = (path: string, value: unknown): object => {
  const [name = '', member] = path.split('.');
  return { [name]: member === undefined ? value : { [member]: value } };
};

const invalidEverywhere: readonly (readonly [string, unknown])[] = [
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
  ['trustedProxies', '10.0.0.1'],
  ['trustedProxies', ['proxy.example']],
  ['trustedProxies', ['10.0.0.0/33']],
  ['trustedProxies', true],
  ['onWarning', {}],
  ['logger', console.log],
  ['sessions', 'no'],
  ['sessions', true],
  ['store', 'redis'],
  ['store', {}],
  ['store', { sessions: {}, events: {}, bus: {} }],
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
  ['limits.maxValues', 0],
  ['limits.maxDepth', 1001],
  ['limits.maxBatch', '1'],
  ['timeouts', 5],
  ['timeouts.keepAliveMs', 0],
  ['timeouts.inputMs', 2 ** 31],
  ['timeouts.shutdownMs', -1],
];
const invalidForServeHttp: readonly (readonly [string, unknown])[] = [
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
  message: expect.stringMatching(new RegExp(`${name.replace('.', '\\.')}(?:\\[0\\])? `)),
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
  it.each([...invalidEverywhere, ...invalidForServeHttp])('%s of %j is rejected by serveHttp', async (name, value) => {
    await expect(serveHttp(server, untyped({ port: 0, ...option(name, value) }))).rejects.toMatchObject(refusal(name));
  });

  it.each(invalidEverywhere)('%s of %j is rejected by toNodeHandler and toFetchHandler', (name, value) => {
    expect(thrownBy(() => toNodeHandler(server, option(name, value)))).toMatchObject(refusal(name));
    expect(thrownBy(() => toFetchHandler(server, option(name, value)))).toMatchObject(refusal(name));
  });

  it('that is unknown is rejected with a suggestion', async () => {
    const suggestion = { code: 'invalid-argument', hint: 'Did you mean authenticate?' };
    const misspelt = untyped({ authentcate: () => undefined });
    await expect(serveHttp(server, misspelt)).rejects.toMatchObject(suggestion);
    expect(thrownBy(() => toNodeHandler(server, misspelt))).toMatchObject(suggestion);
    expect(thrownBy(() => toFetchHandler(server, misspelt))).toMatchObject(suggestion);
    expect(thrownBy(() => serveStdio(server, untyped({ timeouts: { shutdown: 1 } })))).toMatchObject({
      hint: 'Did you mean timeouts.shutdownMs?',
    });
  });

  it.each([
    ['limits.maxStreams', 'fixed at 64'],
    ['limits.maxDepth', 'fixed at 128'],
    ['limits.maxTotalStoredChars', 'a sixth of limits.maxMemoryBytes'],
  ])('%s, which is fixed, is rejected with its value', (name, value) => {
    expect(thrownBy(() => toFetchHandler(server, option(name, 5)))).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(`toFetchHandler(): ${name} is ${value}`),
      hint: 'Remove it.',
      details: { place: name },
    });
  });

  it.each([
    ['limits.maxBody', 'limits.maxBodyBytes'],
    ['timeouts.keepAlive', 'timeouts.keepAliveMs'],
    ['sessions.maxcount', 'sessions.maxCount'],
  ])('%s of a group is rejected with the suggestion %s', (misspelt, suggested) => {
    expect(thrownBy(() => toFetchHandler(server, option(misspelt, 5)))).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(`${misspelt} is not an option.`),
      hint: `Did you mean ${suggested}?`,
    });
  });

  it.each([
    ['cors', 'allowedOrigins'],
    ['hosts', 'allowedHosts'],
    ['trustProxy', 'trustedProxies'],
    ['hostname', 'host'],
    ['https', 'tls'],
    ['maxBodyBytes', 'limits.maxBodyBytes'],
    ['keepAliveMs', 'timeouts.keepAliveMs'],
  ])('%s, as others name it or beside its group, is rejected with the suggestion %s', async (written, meant) => {
    await expect(serveHttp(server, untyped({ port: 0, [written]: true }))).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(`serveHttp(): ${written} is not an option.`),
      hint: `Did you mean ${meant}?`,
      details: { place: written },
    });
  });

  it.each(['banana', 'gzip', 'ws'])('%s, which resembles no option, is rejected with a list of all', async (name) => {
    await expect(serveHttp(server, untyped({ port: 0, [name]: true }))).rejects.toMatchObject({
      code: 'invalid-argument',
      hint: expect.stringMatching(/^There are allowedHosts, .*port, host, path/),
    });
  });

  it.each<[string, string, string, string]>([
    ['allowedOrigins', 'https://app.example/', 'ends with a slash', 'Write "https://app.example".'],
    ['allowedOrigins', 'https://app.example/a', 'has a path', 'Write "https://app.example".'],
    ['allowedOrigins', 'app.example', 'has no scheme', 'Write "https://app.example".'],
    ['allowedOrigins', 'https://*.example', 'has a wildcard: write each name in full', 'allowedOrigins must be a list'],
    ['allowedHosts', 'mcp.example:443', 'has a port', 'Write "mcp.example".'],
    ['allowedHosts', 'mcp.example/', 'ends with a slash', 'Write "mcp.example".'],
    ['allowedHosts', 'https://mcp.example', 'has a scheme', 'Write "mcp.example".'],
    ['allowedHosts', '::1', 'is an IPv6 address without brackets', 'Write "[::1]".'],
    ['allowedHosts', 'bücher.example', 'has characters that are not ASCII', 'Write "xn--bcher-kva.example".'],
    ['allowedHosts', '', 'is empty', 'allowedHosts must be a list'],
  ])('%s with the entry %j is rejected: it %s', (name, entry, problem, hint) => {
    const list = [name === 'allowedHosts' ? 'a.example' : 'https://a.example', entry];
    expect(thrownBy(() => toFetchHandler(server, option(name, list)))).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(`toFetchHandler(): ${name}[1] is ${JSON.stringify(entry)}, which ${problem}.`),
      hint: expect.stringContaining(hint),
      details: { place: `${name}[1]` },
    });
  });

  it('allowedOrigins with a user name is rejected without the password', () => {
    const origins = ['https://ada:hunter2@app.example'];
    expect(thrownBy(() => toFetchHandler(server, { allowedOrigins: origins }))).toMatchObject({
      message: 'toFetchHandler(): allowedOrigins[0] has a user name. Write "https://app.example".',
    });
  });

  it('of serveHttp only is not an option of handlers', () => {
    expect(() => toFetchHandler(server, option('timeouts.stallMs', 5))).toThrow('timeouts.stallMs is not an option.');
  });

  it('that is valid is accepted', async () => {
    const valid = {
      allowedHosts: ['mcp.example', '[::1]'],
      allowedOrigins: ['https://app.example:8080', 'null', 'chrome-extension://abcdef'],
      limits: { maxConcurrentCalls: Number.POSITIVE_INFINITY, maxSessionChars: 1024 },
      sessions: { idleTimeoutMs: Number.POSITIVE_INFINITY, maxAgeMs: Number.POSITIVE_INFINITY },
      timeouts: { shutdownMs: 0 },
      path: '/',
      legacySse: { stream: '/a', messages: '/b' },
    };
    const service = await serveHttp(server, { port: 0, ...valid });
    expect(new URL(service.url).pathname).toBe('/');
    await service.close();
  });
});

it.each([withFixed({}, { headersMs: 10_001 }), { requestMs: 4999 }])(
  'timeouts need not be round numbers: %j',
  async (timeouts) => {
    const { url } = await serve({ timeouts });
    expect((await send(url, loneCall('echo', { text: 'x' }))).status).toBe(200);
  },
);

it.each(['/ü', '/a/../b', '/{mcp}'])(
  'a path is served in the normalized form that clients request: %s',
  async (path) => {
    const sse = { stream: `${path}/sse`, messages: `${path}/messages` };
    const { url } = await serve({ path, legacySse: sse });
    expect(new URL(url).href).toBe(url);
    expect((await send(url, loneCall('echo', { text: 'x' }))).status).toBe(200);
    const stream = await open(`${url}/sse`, { method: 'GET', headers: { accept: 'text/event-stream' } });
    await stream.until(() => stream.text().includes(`data: ${new URL(url).pathname}/messages?`), 'the endpoint event');
    stream.cut();
  },
);

it('paths that are equal after normalization are rejected', async () => {
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

  it.each(methods)('that lacks %s.%s() is rejected with a hint that names it', (part, name) => {
    const store = { ...parts, [part]: { ...parts[part], [name]: undefined } } as unknown as Store;
    expect(thrownBy(() => toFetchHandler(server, { store }))).toMatchObject({
      ...refusal('store'),
      hint: expect.stringContaining(`have ${part}.${name}(), `),
    });
  });

  it('whose methods are inherited is accepted', async () => {
    const store: Store = Object.create({
      sessions: Object.create(sessions),
      events: Object.create(events),
      bus: Object.create(bus),
    });
    const handle = toFetchHandler(sampleServer({ secrets }).server, { store });
    expect(handle.stats().sessions).toBe(0);
    await handle.close();
  });
});

it('invalid servers and invalid options objects are rejected', async () => {
  await expect(serveHttp({} as typeof server)).rejects.toMatchObject({ code: 'invalid-argument' });
  await expect(serveHttp(server, null as unknown as object)).rejects.toMatchObject({ code: 'invalid-argument' });
  // @ts-expect-error: TypeScript rejects it at compile time.
  expect(() => toFetchHandler({})).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  expect(() => toNodeHandler({ ...server })).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
});
