/** `toFetchHandler` on workerd, by the name it gives itself. `test/package/matrix` runs the real one. */
import { createServer, toFetchHandler, tool } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import type { FetchHandler, FetchHandlerOptions } from '../../../src/server/http/fetch.ts';
import { initialize } from '../../kit/http/messages.ts';

/** Only while it is created, which takes no turn: other tests of the process do not see it. */
function handlerOnWorkerd(options: FetchHandlerOptions = {}): FetchHandler {
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
  try {
    return toFetchHandler(createServer({ name: 'weather', version: '1.0.0' }), options);
  } finally {
    vi.unstubAllGlobals();
  }
}

const greet = (handler: FetchHandler): Promise<Response> =>
  handler(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(initialize('2025-11-25')),
    }),
  );

describe('a server at module scope', () => {
  it('is created with its handler without random values and timers, which workers allow only in a request', () => {
    const used: string[] = [];
    const spies = [
      vi.spyOn(crypto, 'randomUUID').mockImplementation(() => (used.push('randomUUID'), '0-0-0-0-0')),
      vi.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => (used.push('getRandomValues'), bytes)),
      vi.spyOn(Math, 'random').mockImplementation(() => used.push('Math.random')),
      vi.spyOn(globalThis, 'setTimeout').mockImplementation((() => used.push('setTimeout')) as never),
      vi.spyOn(globalThis, 'setInterval').mockImplementation((() => used.push('setInterval')) as never),
    ];
    try {
      toFetchHandler(createServer({ name: 'weather', version: '1.0.0', tools: { now: tool({}, () => 'sun') } }));
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    expect(used).toEqual([]);
  });
});

describe('in a worker of Cloudflare', () => {
  it('there are no sessions by default', async () => {
    const response = await greet(handlerOnWorkerd());
    expect([response.status, response.headers.get('mcp-session-id')]).toEqual([200, null]);
  });

  it('sessions: false is allowed, options of sessions are refused by name', () => {
    expect(() => handlerOnWorkerd({ sessions: false })).not.toThrow();
    expect(() => handlerOnWorkerd({ sessions: { maxCount: 10 } })).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('sessions') }),
    );
  });
});

describe('elsewhere', () => {
  it('there are sessions by default', async () => {
    const handler = toFetchHandler(createServer({ name: 'weather', version: '1.0.0' }));
    expect((await greet(handler)).headers.get('mcp-session-id')).toEqual(expect.any(String));
    await handler.close(0);
  });
});
