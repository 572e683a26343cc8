/** The beginning and the end of what toFetch gives: who has gone before is not served, and all who close it wait alike. */
import type { Middleware } from 'tenon/server';
import { describe, expect, it } from 'vitest';
import { toFetch } from '../../src/server/http/fetch.ts';
import { deferred } from '../scenarios/deferred.ts';
import { within } from '../stdio/raw-process.ts';
import { sampleServer } from './served.ts';
import { call, initialize, loneCall } from './talk.ts';

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
    const handle = toFetch(sampleServer({ middleware: [counting] }).server);
    const greeting = await handle(post(initialize('2025-11-25')));
    const session = { 'mcp-session-id': greeting.headers.get('mcp-session-id') ?? '' };
    const { headers, body } = loneCall('echo', { text: 'x' });
    const gone = AbortSignal.abort();
    for (const request of [post(body, headers, gone), post(call('echo', { text: 'x' }), session, gone)])
      expect((await within(handle(request), 'the response')).status).toBe(499);
    expect(handle.counts().running).toBe(0);
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
    const handle = toFetch(sampleServer({ middleware: [counting] }).server);
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
      expect((await within(handle(request), 'the response')).status).toBe(499);
      await within(read.promise, 'the body to be read');
    }
    await within(handle.close(), 'the end');
    expect([ran, handle.counts()]).toEqual([0, { sessions: 0, streams: 0, running: 0 }]);
  });
});

describe('close()', () => {
  it('settles for all who call it when everything has ended, not before [S37]', async () => {
    const { server, waits, release } = sampleServer();
    const handle = toFetch(server);
    const { headers, body } = loneCall('wait');
    const waiting = handle(post(body, headers));
    await within(waits, 'the handler');
    const closed = [handle.close(), handle.close()].map((each) => each.then(() => handle.counts().running));
    await new Promise((resolve) => setImmediate(resolve));
    release();
    expect(await (await waiting).text()).toContain('waited');
    expect(await within(Promise.all(closed), 'the end')).toEqual([0, 0]);
    await within(handle.close(), 'a close after the end');
  });
});
