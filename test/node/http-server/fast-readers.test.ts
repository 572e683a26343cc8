/** Many notifications sent at once: a fast reader gets all of them, a slow one is disconnected with one warning. */

import { toFetchHandler, tool } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { call, initialize, loneCall, notification, sessionRevisions, startSession } from '../../kit/http/messages.ts';
import { open } from '../../kit/http/raw-http.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';
import { sampleServer, serve } from '../../kit/http/sample-server.ts';
import { sampled } from '../../kit/sampled.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const meta = { progressToken: 1 };

/** Reports progress within one turn of the event loop; with `stays`, it then runs until it is cancelled. */
const chat = tool(
  { inputSchema: z.object({ times: z.number(), stays: z.boolean().optional() }) },
  async (given, ctx) => {
    for (let n = 1; n <= given.times; n++) ctx.reportProgress(n, given.times, 'x'.repeat(1000));
    if (given.stays === true) await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    return 'done';
  },
);
const tools = { chat };

describe('a fast reader of six megabytes of notifications sent at once', () => {
  it('gets all of them in a stateless call', async () => {
    const { url, warnings } = await serve({}, {}, { tools });
    const stream = await open(url, loneCall('chat', { times: 6000 }, meta));
    expect(await withTimeout(stream.ended, 'the end')).toBe(true);
    expect(stream.events()).toHaveLength(6001);
    expect(warnings).toEqual([]);
  });

  it.each(sampled(sessionRevisions))('gets all of them in a session of %s', async (revision) => {
    const { url, warnings } = await serve({}, {}, { tools });
    const session = await startSession(url, revision);
    const stream = await session.open({ body: call('chat', { times: 6000 }, 1, meta) });
    expect(await withTimeout(stream.ended, 'the end')).toBe(true);
    expect(stream.messages()).toHaveLength(6001);
    expect(warnings).toEqual([]);
  });

  it('gets all of them from a fetch handler', async () => {
    const warnings: Error[] = [];
    const { server } = sampleServer({}, { tools });
    const handle = toFetchHandler(server, { onWarning: (error) => warnings.push(error) });
    const { headers, body } = loneCall('chat', { times: 6000 }, meta);
    const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const sent = { method: 'POST', headers: { ...types, ...(headers as Record<string, string>) } };
    const response = await handle(new Request('http://localhost/mcp', { ...sent, body: JSON.stringify(body) }));
    expect((await response.text()).split('data: ')).toHaveLength(6002);
    expect(warnings).toEqual([]);
  });
});

describe('a reader whose queue is over the limit', () => {
  const limits = { maxQueuedChars: 100_000 };

  // Far more than the buffers of both ends hold, and in the second case less than the hard limit.
  it.each([
    ['far beyond it', 100_000],
    ['and that does not catch up', 3_000_000],
  ])('%s is disconnected once, and its stateless call is cancelled', async (_how, maxQueuedChars) => {
    const { url, warnings, stats } = await serve({ limits: { maxQueuedChars } }, {}, { tools });
    const stream = await open(url, loneCall('chat', { times: 20_000, stays: true }, meta));
    stream.pause();
    await vi.waitFor(() => expect(warnings).toMatchObject([{ code: 'queue-full' }]), 10_000);
    await vi.waitFor(() => expect(stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 }), 10_000);
    expect(warnings).toHaveLength(1);
    expect(stats().dropped.slow).toBe(1);
    stream.resume();
    expect(await withTimeout(stream.ended, 'the end')).toBe(false);
  });

  it.each(sampled(sessionRevisions))('is disconnected once in a session of %s', async (revision) => {
    const { url, warnings, stats } = await serve({ limits }, {}, { tools });
    const session = await startSession(url, revision);
    const stream = await session.open({ body: call('chat', { times: 20_000 }, 1, meta) });
    stream.pause();
    await vi.waitFor(() => expect(warnings).toMatchObject([{ code: 'queue-full' }]), 10_000);
    await vi.waitFor(() => expect(stats()).toMatchObject({ streams: 0, activeCalls: 0 }), 10_000);
    expect(warnings).toHaveLength(1);
    expect(stats().dropped.slow).toBe(1);
  });

  it('is disconnected once over HTTP+SSE', async () => {
    const served = await serve({ limits }, {}, { tools });
    const { socket, until, text } = dial(served);
    socket.write(written({ method: 'GET' }, '/sse'));
    await until(/data: \S+\n/);
    const messages = String(/data: (\S+)/.exec(text())?.[1]);
    socket.pause();
    const sender = dial(served);
    for (const body of [
      initialize('2024-11-05'),
      notification('notifications/initialized'),
      call('chat', { times: 20_000 }, 1, meta),
    ])
      sender.socket.write(written({ body }, messages));
    await vi.waitFor(() => expect(served.warnings).toMatchObject([{ code: 'queue-full' }]), 10_000);
    await vi.waitFor(() => expect(served.stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 }), 10_000);
    expect(served.warnings).toHaveLength(1);
    expect(served.stats().dropped.slow).toBe(1);
  });

  it('and that catches up stays connected', async () => {
    const { url, warnings } = await serve({ limits }, {}, { tools });
    const stream = await open(url, loneCall('chat', { times: 500, stays: true }, meta));
    await stream.until(() => stream.events().length >= 500, 'all notifications');
    expect(warnings).toEqual([]);
    stream.cut();
  });
});
