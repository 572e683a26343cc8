/** Options of calls and of connect targets: a mistyped one is rejected at once, with its place and a hint. */
import { connect, createClient, createServer, resource, tool } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';

let ran = 0;
afterEach(() => {
  ran = 0;
});
const server = createServer({
  name: 's',
  version: '1',
  tools: { t: tool({}, () => `${++ran}`) },
  resources: { 'a://b': resource({}, () => 'x') },
});

describe('A call refuses', () => {
  it.each<[place: string, options: unknown, hint: string]>([
    ['timeout', { timeout: 5 }, 'timeoutMs'],
    ['progress', { progress: () => {} }, 'onProgress'],
    ['timeoutMs', { timeoutMs: 0 }, 'over 0'],
    ['timeoutMs', { timeoutMs: '5' }, 'over 0'],
    ['maxTotalTimeoutMs', { maxTotalTimeoutMs: Number.NaN }, 'over 0'],
    ['retryable', { retryable: 'yes' }, 'true or false'],
    ['cache', { cache: true }, "be 'reload'"],
    ['onProgress', { onProgress: 5 }, 'function'],
    ['sent', { sent: () => {} }, 'There are timeoutMs'],
    ['meta', { meta: 5 }, 'com.example'],
    ['signal', { signal: new AbortController() }, 'not the controller'],
    ['idempotencyKey', { idempotencyKey: '' }, '1 to 200'],
    ['options', null, 'be an object'],
    ['options', 5, 'be an object'],
    ['options', [], 'be an object'],
  ])('%s as in %j, before anything is sent', async (place, options, fix) => {
    await using client = await connect(server);
    const refusal = { code: 'invalid-argument', details: { place }, hint: expect.stringContaining(fix) };
    await expect(client.tools.call('t', {}, options as never)).rejects.toMatchObject(refusal);
    await expect(client.resources.read('a://b', options as never)).rejects.toMatchObject(refusal);
    await expect(client.tools.list(options as never).all()).rejects.toMatchObject(refusal);
    await expect(client.request('tools/list', {}, options as never)).rejects.toMatchObject(refusal);
    expect(ran).toBe(0);
  });

  it('a mistyped option even if the result is cached', async () => {
    await using client = await connect(server, { cache: { ttlMs: 60_000 }, protocolVersions: ['2025-11-25'] });
    await client.tools.list().all();
    const again = client.tools.list({ cahce: 'reload' } as never).all();
    await expect(again).rejects.toMatchObject({ details: { place: 'cahce' }, hint: 'Did you mean cache?' });
  });

  it('no option that is undefined', async () => {
    await using client = await connect(server);
    const undefinedOnes = { timeoutMs: undefined, onProgress: undefined, other: undefined };
    await client.tools.call('t', {}, undefinedOnes as never);
    expect(ran).toBe(1);
  });
});

describe('A target is rejected with an unknown or mistyped field:', () => {
  it.each<[place: string, target: unknown, hint: string]>([
    ['target.header', { url: 'https://a.example/mcp', header: { authorization: 'Bearer x' } }, 'headers'],
    ['target.headers', { url: 'https://a.example/mcp', headers: 'Bearer x' }, 'authorization'],
    ['target.connectTimeout', { url: 'https://a.example/mcp', connectTimeout: 5 }, 'connectTimeoutMs'],
    ['target.ca', { url: 'https://a.example/mcp', ca: 5 }, 'PEM'],
    ['target.command', { url: 'https://a.example/mcp', command: 'node' }, 'url, headers'],
    ['target.cmd', { command: 'node', cmd: 'node' }, 'Did you mean'],
    ['target.arg', { command: 'node', arg: ['x'] }, 'args'],
    ['command', { command: '' }, 'args'],
    ['args', { command: 'node', args: 'x' }, 'args'],
  ])('%s of %j', async (place, target, fix) => {
    const refusal = expect.objectContaining({
      code: 'invalid-argument',
      message: expect.stringContaining(place),
      hint: expect.stringContaining(fix),
    });
    expect(() => createClient(target as never)).toThrow(refusal);
    await expect(connect(target as never)).rejects.toThrow(refusal);
  });
});

describe('connect refuses, before anything is started,', () => {
  it.each<[place: string, options: unknown, hint: string]>([
    ['requiredCapabilities', { requiredCapabilities: ['tool'] }, 'tools, tools.listChanged, resources'],
    ['experimental', { experimental: { deep: true } }, 'an object of objects'],
    ['limits.maxChars', { limits: { maxChars: 5 } }, 'maxMessageChars'],
    ['limits.maxDepth', { limits: { maxDepth: 1001 } }, 'Remove it'],
    ['options', null, 'be an object'],
  ])('%s as in %j', (place, options, fix) => {
    for (const target of [server, 'http://127.0.0.1:1/mcp', { command: 'no-such-program' }]) {
      expect(() => createClient(target, options as never)).toThrow(
        expect.objectContaining({
          code: 'invalid-argument',
          details: { place },
          hint: expect.stringContaining(fix),
        }),
      );
    }
  });
});
