/** Calls that their clients cancel: the response ends, cannot be resumed, and leaves no stream open. */

import { StreamableHTTPClientTransport as V2Transport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { tool } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import { deferred } from '../../../kit/deferred.ts';
import { withFixed } from '../../../kit/fixed-limits.ts';
import { call, notification, resumableRevisions, startSession } from '../../../kit/http/messages.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { connectV1, connectV2 } from '../../../kit/peers/official-clients.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { at, twoNodes } from './two-nodes.ts';

const newest = '2025-11-25';
const progressing = { progressToken: 'mine' };

describe.each(resumableRevisions)('a cancelled call in a session at %s', (revision) => {
  it('without notifications ends as a stream without events, so that there is nothing to resume [s-http-13]', async () => {
    const { url, waits } = await serve();
    const session = await startSession(url, revision);
    const posted = session.post(call('wait', {}, 1));
    await withTimeout(waits, 'the handler');
    await session.post(notification('notifications/cancelled', { requestId: 1 }));
    const { status, headers, text } = await withTimeout(posted, 'the end of the response');
    expect([status, headers['content-type'], text]).toEqual([200, 'text/event-stream', '']);
  });

  it('with notifications has nothing more for a client that resumes, which gets 204', async () => {
    const { url, waits } = await serve();
    const session = await startSession(url, revision);
    const stream = await session.open({ body: call('wait', {}, 1, progressing) });
    await withTimeout(waits, 'the handler');
    await session.post(notification('notifications/cancelled', { requestId: 1 }));
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect((await session.listen(stream.events().at(-1)?.id)).status).toBe(204);
  });
});

/** Tools that wait until they are aborted, with or without progress. */
function waitingTools() {
  let begun = deferred();
  const run = (reports: boolean) =>
    tool({}, async (_given, ctx) => {
      if (reports) ctx.reportProgress(1);
      begun.resolve();
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      return 'aborted';
    });
  const next = (): Promise<void> => {
    begun = deferred();
    return begun.promise;
  };
  return { next, tools: { reporting: run(true), silent: run(false) } };
}

/** Reconnects at once, so that every request after the end of a stream is sent without delay. */
const reconnectAtOnce = {
  reconnectionOptions: {
    initialReconnectionDelay: 1,
    maxReconnectionDelay: 1,
    reconnectionDelayGrowFactor: 1,
    maxRetries: 2,
  },
};

type Fetch = typeof fetch;
const clients = [
  [
    'SDK v1',
    (url: URL, own: Fetch) => connectV1(new V1Transport(url, { ...reconnectAtOnce, fetch: own }) as Transport),
  ],
  ['SDK v2', (url: URL, own: Fetch) => connectV2(new V2Transport(url, { ...reconnectAtOnce, fetch: own }), 'legacy')],
] as const;

describe.each(clients)('a client of %s that cancels many calls', (_name, connect) => {
  it('has one stream open and can make more calls', async () => {
    const { next, tools } = waitingTools();
    const { url, stats } = await serve({ limits: withFixed({}, { maxStreams: 4 }) }, {}, { tools });
    const gets: { readonly resumes: boolean; readonly status: number }[] = [];
    const recordingFetch: Fetch = async (to, init) => {
      const response = await fetch(to, init);
      const resumes = new Headers(init?.headers).has('last-event-id');
      if (init?.method === 'GET') gets.push({ resumes, status: response.status });
      return response;
    };
    const client = await connect(new URL(url), recordingFetch);
    await vi.waitFor(() => expect(gets).toHaveLength(1));
    for (const name of Array.from({ length: 6 }, () => ['silent', 'reporting']).flat()) {
      const begun = next();
      const stop = new AbortController();
      const cancelled = client.call(name, {}, { signal: stop.signal, onprogress: () => {} });
      await withTimeout(begun, 'the handler');
      stop.abort();
      await expect(cancelled).rejects.toBeInstanceOf(Error);
    }
    await vi.waitFor(() => expect(stats().activeCalls).toBe(0));
    // Pings until no further request resumes a stream.
    const resumed = (): number => gets.filter(({ resumes }) => resumes).length;
    for (let before = -1; before < resumed(); ) {
      before = resumed();
      for (let n = 0; n < 20; n++) await client.ping();
    }
    expect(gets.filter(({ resumes }) => !resumes)).toEqual([{ resumes: false, status: 200 }]);
    expect(new Set(gets.filter(({ resumes }) => resumes).map(({ status }) => status))).not.toContain(503);
    expect(stats()).toMatchObject({ streams: 1, activeCalls: 0 });
    expect(await client.call('echo', { text: 'x' })).toMatchObject({ content: [{ text: 'x' }] });
    await client.close();
  });
});

describe('resumed streams', () => {
  it('are served after they have ended, even if the stream limit is reached [s-http-46, s-http-48]', async () => {
    const { url, waits, release } = await serve({ limits: withFixed({}, { maxStreams: 4 }) });
    const session = await startSession(url, newest);
    const finished = await session.open({ body: call('count', { to: 1 }, 1, progressing) });
    await withTimeout(finished.ended, 'the end of the stream');
    const running = [];
    for (const id of [2, 3, 4]) running.push(await session.open({ body: call('leave', {}, id, progressing) }));
    await withTimeout(waits, 'a handler');
    const again = await session.listen(finished.events()[0]?.id);
    expect(again.status).toBe(200);
    expect(await withTimeout(again.ended, 'the end of the stream')).toBe(true);
    expect(again.messages()).toEqual(finished.messages());
    release();
    for (const stream of running) stream.cut();
  });

  it('of calls at another endpoint are limited, and get 503 with retry-after beyond the limit', async () => {
    const { a, b } = await twoNodes({ limits: withFixed({}, { maxStreams: 1 }) });
    const session = await startSession(a.url, newest);
    const ids: (string | undefined)[] = [];
    for (const id of [1, 2]) {
      const stream = await session.open({ body: call('wait', {}, id, progressing) });
      await stream.until(() => stream.messages().length >= 1, 'the first event');
      ids.push(stream.events().at(-1)?.id);
    }
    const there = at(b, session);
    const [first, second] = [await there.listen(ids[0]), await there.listen(ids[1])];
    expect(first.status).toBe(200);
    expect(second).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    first.cut();
  });
});
