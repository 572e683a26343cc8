/** The beginning and the end of what toFetch gives: who has gone before is not served, and all who close it wait alike. */

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

describe('a request that was given up before it came', () => {
  it('runs no handler, alone or in a session, and settles', async () => {
    let ran = 0;
    const counting: Middleware = (_call, next) => {
      ran++;
      return next();
    };
    const handle = toFetchHandler(sampleServer({ middleware: [counting] }).server);
    const greeting = await handle(post(initialize('2025-11-25')));
    const session = { 'mcp-session-id': greeting.headers.get('mcp-session-id') ?? '' };
    const { headers, body } = loneCall('echo', { text: 'x' });
    const gone = AbortSignal.abort();
    for (const request of [post(body, headers, gone), post(call('echo', { text: 'x' }), session, gone)])
      expect((await withTimeout(handle(request), 'the response')).status).toBe(499);
    expect(handle.stats().activeCalls).toBe(0);
    expect(ran).toBe(0);
    expect((await handle(post(body, headers))).status).toBe(200);
    expect(ran).toBe(1);
  });
});

describe('a request that is given up while its body is read', () => {
  it.each(['before it is whole', 'when it is whole'])('runs no handler and opens no session, %s', async (when) => {
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
      const giving = new AbortController();
      const read = deferred();
      const whole = new TextEncoder().encode(JSON.stringify(sent));
      const source = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            if (when === 'before it is whole') giving.abort();
            controller.enqueue(whole);
            controller.close();
            if (when !== 'before it is whole') giving.abort();
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
        signal: giving.signal,
      } as RequestInit);
      expect((await withTimeout(handle(request), 'the response')).status).toBe(499);
      await withTimeout(read.promise, 'the body to be read');
    }
    await withTimeout(handle.close(), 'the end');
    expect([ran, handle.stats()]).toMatchObject([0, { sessions: 0, streams: 0, activeCalls: 0 }]);
  });
});

describe('a request that is given up while its answer streams', () => {
  it.each(['alone', 'in a session'])('has the body of its response fail with the reason, %s', async (where) => {
    const { server, waits, release } = sampleServer();
    const handle = toFetchHandler(server);
    const { headers, body } = loneCall('wait', {}, { progressToken: 'mine' });
    const greeting = await handle(post(initialize('2025-11-25')));
    const session = { 'mcp-session-id': greeting.headers.get('mcp-session-id') ?? '' };
    const giving = new AbortController();
    const request =
      where === 'alone'
        ? post(body, headers, giving.signal)
        : post(call('wait', {}, 7, { progressToken: 'mine' }), session, giving.signal);
    const response = await withTimeout(handle(request), 'the response');
    await withTimeout(waits, 'the handler');
    expect(handle.stats().streams).toBe(1);
    const text = response.text();
    giving.abort(new Error('enough of it'));
    await expect(withTimeout(text, 'the end of the body')).rejects.toThrow('enough of it');
    expect(handle.stats().streams).toBe(0);
    release();
    await withTimeout(handle.close(), 'the end');
  });

  it('says nothing to a body that is whole', async () => {
    const handle = toFetchHandler(sampleServer().server);
    const { headers, body } = loneCall('count', { to: 2 }, { progressToken: 'mine' });
    const giving = new AbortController();
    const response = await handle(post(body, headers, giving.signal));
    const text = await withTimeout(response.text(), 'the end of the body');
    giving.abort();
    expect(text).toContain('counted to 2');
    await withTimeout(handle.close(), 'the end');
  });
});

describe('close()', () => {
  it('settles for all who call it when everything has ended, not before [S37]', async () => {
    const { server, waits, release } = sampleServer();
    const handle = toFetchHandler(server);
    const { headers, body } = loneCall('wait');
    const waiting = handle(post(body, headers));
    await withTimeout(waits, 'the handler');
    const closed = [handle.close(), handle.close()].map((each) => each.then(() => handle.stats().activeCalls));
    await new Promise((resolve) => setImmediate(resolve));
    release();
    expect(await (await waiting).text()).toContain('waited');
    expect(await withTimeout(Promise.all(closed), 'the end')).toEqual([0, 0]);
    await withTimeout(handle.close(), 'a close after the end');
  });
});
