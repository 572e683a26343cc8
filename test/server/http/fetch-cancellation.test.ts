/** Cancellation and closing of toFetchHandler: aborted requests are not served, and every close() waits for the end. */

import type { Middleware } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import { toFetchHandler } from '../../../src/server/http/fetch.ts';
import { deferred } from '../../kit/deferred.ts';
import { call, initialize, loneCall } from '../../kit/http/messages.ts';
import { sampleServer } from '../../kit/http/sample-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const post = (body: unknown, headers: object = {}, signal?: AbortSignal): Request =>
  new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

describe('a request that is already aborted', () => {
  it('runs no handler, in an exchange or a session, and gets 499', async () => {
    let ran = 0;
    const counting: Middleware = (_call, next) => {
      ran++;
      return next();
    };
    const handle = toFetchHandler(sampleServer({ middleware: [counting] }).server);
    const handshake = await handle(post(initialize('2025-11-25')));
    const session = { 'mcp-session-id': handshake.headers.get('mcp-session-id') ?? '' };
    const { headers, body } = loneCall('echo', { text: 'x' });
    const aborted = AbortSignal.abort();
    for (const request of [post(body, headers, aborted), post(call('echo', { text: 'x' }), session, aborted)])
      expect((await withTimeout(handle(request), 'the response')).status).toBe(499);
    expect(handle.stats().activeCalls).toBe(0);
    expect(ran).toBe(0);
    expect((await handle(post(body, headers))).status).toBe(200);
    expect(ran).toBe(1);
  });
});

describe('a request that is aborted while its body is read', () => {
  it.each(['before the last chunk', 'after the last chunk'])(
    'runs no handler and opens no session, %s',
    async (when) => {
      let ran = 0;
      const counting: Middleware = (_call, next) => {
        ran++;
        return next();
      };
      const handle = toFetchHandler(sampleServer({ middleware: [counting] }).server);
      const { headers, body } = loneCall('echo', { text: 'x' });
      for (const [sent, more] of [
        [body, headers],
        [initialize('2025-11-25'), {}],
      ] as const) {
        const caller = new AbortController();
        const read = deferred();
        const whole = new TextEncoder().encode(JSON.stringify(sent));
        const source = new ReadableStream<Uint8Array>(
          {
            pull(controller) {
              if (when === 'before the last chunk') caller.abort();
              controller.enqueue(whole);
              controller.close();
              if (when !== 'before the last chunk') caller.abort();
              setImmediate(read.resolve);
            },
          },
          { highWaterMark: 0 },
        );
        const request = new Request('http://localhost/mcp', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...more } as Record<string, string>,
          body: source,
          duplex: 'half',
          signal: caller.signal,
        } as RequestInit);
        expect((await withTimeout(handle(request), 'the response')).status).toBe(499);
        await withTimeout(read.promise, 'the body to be read');
      }
      await withTimeout(handle.close(), 'the handler to close');
      expect([ran, handle.stats()]).toMatchObject([0, { sessions: 0, streams: 0, activeCalls: 0 }]);
    },
  );
});

describe('a request that is aborted while its response is streamed', () => {
  it.each(['in an exchange', 'in a session'])('fails the body of its response with the reason, %s', async (where) => {
    const { server, waits, release } = sampleServer();
    const handle = toFetchHandler(server);
    const { headers, body } = loneCall('wait', {}, { progressToken: 'mine' });
    const handshake = await handle(post(initialize('2025-11-25')));
    const session = { 'mcp-session-id': handshake.headers.get('mcp-session-id') ?? '' };
    const caller = new AbortController();
    const request =
      where === 'in an exchange'
        ? post(body, headers, caller.signal)
        : post(call('wait', {}, 7, { progressToken: 'mine' }), session, caller.signal);
    const response = await withTimeout(handle(request), 'the response');
    await withTimeout(waits, 'the handler');
    expect(handle.stats().streams).toBe(1);
    const text = response.text();
    caller.abort(new Error('no longer needed'));
    await expect(withTimeout(text, 'the end of the body')).rejects.toThrow('no longer needed');
    expect(handle.stats().streams).toBe(0);
    release();
    await withTimeout(handle.close(), 'the handler to close');
  });

  it('does not change a body that is complete', async () => {
    const handle = toFetchHandler(sampleServer().server);
    const { headers, body } = loneCall('count', { to: 2 }, { progressToken: 'mine' });
    const caller = new AbortController();
    const response = await handle(post(body, headers, caller.signal));
    const text = await withTimeout(response.text(), 'the end of the body');
    caller.abort();
    expect(text).toContain('counted to 2');
    await withTimeout(handle.close(), 'the handler to close');
  });
});

describe('close()', () => {
  it('resolves for every caller when all requests have finished, not before [S37]', async () => {
    const { server, waits, release } = sampleServer();
    const handle = toFetchHandler(server);
    const { headers, body } = loneCall('wait');
    const waiting = handle(post(body, headers));
    await withTimeout(waits, 'the handler');
    const closed = [handle.close(), handle.close()].map((each) => each.then(() => handle.stats().activeCalls));
    await new Promise((resolve) => setImmediate(resolve));
    release();
    expect(await (await waiting).text()).toContain('waited');
    expect(await withTimeout(Promise.all(closed), 'the handler to close')).toEqual([0, 0]);
    await withTimeout(handle.close(), 'the second close');
  });
});
