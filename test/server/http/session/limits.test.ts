/** Limits of an endpoint: sessions, idle sessions, calls, slow clients; and closing it. */

import { tool } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { deferred } from '../../../kit/deferred.ts';
import { withFixed } from '../../../kit/fixed-limits.ts';
import { call, initialize, loneCall, request, startSession } from '../../../kit/http/messages.ts';
import { open, send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';

const newest = '2025-11-25';

/** Sends far more than the client reads. */
const flood = tool({ inputSchema: z.object({ pieces: z.number() }) }, async ({ pieces }, ctx) => {
  for (let n = 1; n <= pieces; n++) {
    ctx.reportProgress(n, pieces, 'x'.repeat(100_000));
    await new Promise(setImmediate);
  }
  return 'done';
});

describe('sessions', () => {
  it('beyond the limit get 503 with retry-after, until another session ends', async () => {
    const { url, stats } = await serve({ sessions: { maxCount: 1 } });
    const first = await startSession(url, newest);
    await first.post(request('ping'));
    const refused = await send(url, { body: initialize(newest) });
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, json: { id: 'hello', error: {} } });
    expect(refused.headers).not.toHaveProperty('mcp-session-id');
    await first.end();
    expect((await startSession(url, newest)).greeting.status).toBe(200);
    expect(stats().sessions).toBe(1);
  });

  it('that are idle end, and those with a running call or an open stream do not [s-http-55, s-http-56, S37]', async () => {
    // Long enough for a busy machine to start each session and use it.
    const { url, stats, waits, release } = await serve({
      sessions: { idleTimeoutMs: 4000 },
      timeouts: { keepAliveMs: 10 },
    });
    const busy = await startSession(url, newest);
    const waiting = busy.post(call('wait'));
    await withTimeout(waits, 'the handler');
    const streaming = await startSession(url, newest);
    const stream = await streaming.listen();
    const idle = await startSession(url, newest);
    await vi.waitFor(() => expect(stats().sessions).toBe(2));
    expect((await idle.post(request('ping'))).status).toBe(404);
    release();
    expect((await waiting).status).toBe(200);
    stream.cut();
    await vi.waitFor(() => expect(stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 }));
  });

  it('that are idle end when the limit is reached', async () => {
    const { url } = await serve({ sessions: { maxCount: 1, idleTimeoutMs: 1 }, timeouts: { keepAliveMs: 60_000 } });
    const { id } = await startSession(url, newest);
    await vi.waitFor(async () => expect((await send(url, { body: initialize(newest) })).status).toBe(200));
    expect((await send(url, { body: request('ping'), headers: { 'mcp-session-id': id } })).status).toBe(404);
  });
});

describe('calls', () => {
  it('beyond the limit get 503, in an exchange', async () => {
    const { url, waits, release } = await serve({ limits: { maxConcurrentCalls: 1, maxQueuedCalls: 0 } });
    const first = send(url, loneCall('wait'));
    await withTimeout(waits, 'the handler');
    expect((await send(url, loneCall('echo', { text: 'x' }))).status).toBe(503);
    release();
    expect((await first).status).toBe(200);
    expect((await send(url, loneCall('echo', { text: 'x' }))).status).toBe(200);
  });

  it('beyond the limit of one session are rejected, and other sessions are not affected', async () => {
    const { url, waits, release } = await serve({}, { limits: { maxConcurrentCalls: 1 } });
    const [session, other] = [await startSession(url, newest), await startSession(url, newest)];
    const first = session.post(call('wait'));
    await withTimeout(waits, 'the handler');
    expect((await session.post(call('echo', { text: 'x' }, 2))).json).toHaveProperty('error');
    expect((await other.post(call('echo', { text: 'x' }, 2))).json).toHaveProperty('result');
    release();
    expect((await first).json).toHaveProperty('result');
  });
});

describe('a client that does not read', () => {
  const limits = withFixed({ maxQueuedChars: 200_000, maxSessionChars: 10_000_000 }, { maxStreamChars: 10_000_000 });
  const meta = { progressToken: 1 };

  it('the stream of an exchange is disconnected with a queue-full warning, and the call is cancelled', async () => {
    const { url, warnings, stats } = await serve({ limits }, {}, { tools: { flood } });
    const stream = await open(url, loneCall('flood', { pieces: 500 }, meta));
    stream.pause();
    await vi.waitFor(() => expect(warnings).toMatchObject([{ code: 'queue-full' }]), 20_000);
    await vi.waitFor(() => expect(stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 }), 20_000);
    stream.resume();
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(false);
  });

  it('a stream of a session is disconnected with a queue-full warning, and gets the stored events when it resumes', async () => {
    const { url, warnings, stats } = await serve({ limits }, {}, { tools: { flood } });
    const session = await startSession(url, newest);
    const stream = await session.open({ body: call('flood', { pieces: 90 }, 1, meta) });
    stream.pause();
    await vi.waitFor(() => expect(warnings).toMatchObject([{ code: 'queue-full' }]), 20_000);
    await vi.waitFor(() => expect(stats()).toMatchObject({ streams: 0, activeCalls: 0 }), 20_000);
    stream.resume();
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(false);
    const rest = await session.listen(stream.events().at(-1)?.id);
    expect(await withTimeout(rest.ended, 'the end of the stream')).toBe(true);
    const messages = [...stream.messages(), ...rest.messages()];
    expect(messages.flatMap(({ params }) => (params as { progress: number } | undefined)?.progress ?? [])).toEqual(
      Array.from({ length: 90 }, (_, at) => at + 1),
    );
    expect(messages.at(-1)).toMatchObject({ id: 1 });
  });
});

describe('closing', () => {
  it('sends the responses of running calls, in both lifecycles, and accepts no more requests [S37]', async () => {
    const { url, waits, release, close, stats } = await serve();
    const session = await startSession(url, newest);
    const waiting = [
      send(url, loneCall('wait', {}, {}, 'alone')),
      session.post(call('wait', {}, 'in a session')),
      session.post(call('wait', {}, 'on a stream', { progressToken: 1 })),
    ];
    await withTimeout(waits, 'a handler');
    await vi.waitFor(() => expect(stats().activeCalls).toBe(3));
    const getStream = await session.listen();
    const closed = close();
    release();
    const answers = await Promise.all(waiting);
    for (const { status, text } of answers) expect([status, text.includes('waited')]).toEqual([200, true]);
    await withTimeout(closed, 'the server to close');
    expect(await withTimeout(getStream.ended, 'the stream to end')).toBe(true);
    expect(stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 });
    // A process that another test spawns holds the port between fork and exec, and then resets the connection.
    const code = expect.stringMatching(/^ECONN(REFUSED|RESET)$/);
    await expect(send(url, loneCall('echo', { text: 'x' }))).rejects.toMatchObject({ code });
  });

  it('waits no longer than shutdownMs', async () => {
    const { url, waits, close } = await serve({ timeouts: { shutdownMs: 20 } });
    const session = await startSession(url, newest);
    const waiting = session.post(call('wait'));
    await withTimeout(waits, 'the handler');
    await withTimeout(close(), 'the server to close');
    expect(await withTimeout(waiting, 'the response')).toMatchObject({ status: 503, json: { error: {} } });
  });

  it('accepts answers to server requests while a call waits for them', async () => {
    const requested = deferred();
    const { url, close } = await serve(
      {},
      {},
      {
        tools: {
          late: tool({}, async (_given, ctx) => {
            requested.resolve();
            const { action } = await ctx.elicit('it', { message: 'Well?', schema: z.object({}) });
            return action;
          }),
        },
      },
    );
    const session = await startSession(url, newest, { capabilities: { elicitation: {} } });
    const stream = await session.open({ body: call('late') });
    await withTimeout(requested.promise, 'the handler');
    await stream.until(() => stream.messages().length >= 1, 'the elicitation on its stream');
    const closed = close();
    const refused = await session.post(request('ping', undefined, 9));
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect((await session.listen()).status).toBe(503);
    const answer = { jsonrpc: '2.0', id: stream.messages()[0]?.id, result: { action: 'decline' } };
    expect((await session.post(answer)).status).toBe(202);
    await withTimeout(stream.ended, 'the response');
    expect(stream.messages()[1]).toMatchObject({ result: { content: [{ text: 'decline' }] } });
    await withTimeout(closed, 'the server to close');
  });
});
