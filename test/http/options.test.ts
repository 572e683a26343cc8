/** Options that could only fail later are refused when they are given, with the place and the mend. */
import { serveHttp, serveStdio, toFetch, toNodeHandler } from 'tenon';
import { describe, expect, it } from 'vitest';
import { sampleServer } from './served.ts';

const { server } = sampleServer();
/** As a program without types would write it. */
/** Options as programs without types give them. */
const untyped = (options: object): object => options;

const wrongAnywhere: readonly (readonly [string, unknown])[] = [
  ['hosts', 'example.com'],
  ['hosts', ['example.com:443']],
  ['hosts', ['https://example.com']],
  ['origins', 'https://app.example'],
  ['origins', ['https://app.example/']],
  ['cors', '*'],
  ['cors', ['*']],
  ['authenticate', 'Bearer'],
  ['principal', 'ada'],
  ['fault', {}],
  ['logger', console.log],
  ['store', 'redis'],
  ['store', {}],
  ['store', { sessions: {}, events: {}, bus: {} }],
  ['sessions', 'no'],
  ['strict', 1],
  ['maxSessions', 0],
  ['maxRunning', -1],
  ['maxWaiting', '4'],
  ['maxKept', 0.5],
  ['maxSessionKept', 0],
  ['maxStreams', Number.NaN],
  ['maxBody', -1],
  ['idleMs', -5],
  ['lifetimeMs', Number.POSITIVE_INFINITY],
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
  ['sse', true],
  ['sse', { stream: 'sse', messages: '/messages' }],
  ['tls', 'key'],
  ['otherwise', 404],
  ['graceMs', -1],
  ['headersTimeoutMs', 0],
  ['requestTimeoutMs', '30'],
  ['stallTimeoutMs', 0],
  ['signals', 'SIGTERM'],
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
    expect(thrownBy(() => toFetch(server, untyped({ [name]: value })))).toMatchObject(refusal(name));
  });

  it('that nobody knows is refused, with the one that was meant', async () => {
    const meant = { code: 'invalid-argument', hint: 'Did you mean authenticate?' };
    const misspelt = untyped({ authentcate: () => undefined });
    await expect(serveHttp(server, misspelt)).rejects.toMatchObject(meant);
    expect(thrownBy(() => toNodeHandler(server, misspelt))).toMatchObject(meant);
    expect(thrownBy(() => toFetch(server, misspelt))).toMatchObject(meant);
    expect(thrownBy(() => serveStdio(server, untyped({ gracems: 1 })))).toMatchObject({
      hint: 'Did you mean graceMs?',
    });
  });

  it('that is sound is taken', async () => {
    const sound = {
      hosts: ['mcp.example', '[::1]'],
      origins: ['https://app.example:8080', 'null'],
      cors: ['chrome-extension://abcdef'],
      maxRunning: Number.POSITIVE_INFINITY,
      idleMs: Number.POSITIVE_INFINITY,
      graceMs: 0,
      path: '/',
      sse: { stream: '/a', messages: '/b' },
    };
    const service = await serveHttp(server, { port: 0, ...sound });
    expect(new URL(service.url).pathname).toBe('/');
    await service.close();
  });
});

it('what is no server, or no options, is refused', async () => {
  await expect(serveHttp({} as typeof server)).rejects.toMatchObject({ code: 'invalid-argument' });
  await expect(serveHttp(server, null as unknown as object)).rejects.toMatchObject({ code: 'invalid-argument' });
});
