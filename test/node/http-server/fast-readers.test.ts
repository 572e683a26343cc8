/** Readers of much that is told in one go: a quick one gets all of it, a slow one is let go once, by name. */

import { toFetchHandler, tool } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { call, initialize, loneCall, notification, sessionRevisions, startSession } from '../../kit/http/messages.ts';
import { open } from '../../kit/http/raw-http.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';
import { sampleServer, serve } from '../../kit/http/sample-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const meta = { progressToken: 1 };

/** Tells without a turn of the loop; where it stays, until it is given up. */
const chat = tool(
  { inputSchema: z.object({ times: z.number(), stays: z.boolean().optional() }) },
  async (given, ctx) => {
    for (let n = 1; n <= given.times; n++) ctx.reportProgress(n, given.times, 'x'.repeat(1000));
    if (given.stays === true) await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    return 'told';
  },
);
const tools = { chat };

describe('a quick reader of six megabytes that are told in one go', () => {
  it('gets all of them where the call stands alone', async () => {
    const { url, faults } = await serve({}, {}, { tools });
    const stream = await open(url, loneCall('chat', { times: 6000 }, meta));
    expect(await withTimeout(stream.ended, 'the end')).toBe(true);
    expect(stream.events()).toHaveLength(6001);
    expect(faults).toEqual([]);
  });

  it.each(sessionRevisions)('gets all of them in a session of %s', async (revision) => {
    const { url, faults } = await serve({}, {}, { tools });
    const session = await startSession(url, revision);
    const stream = await session.open({ body: call('chat', { times: 6000 }, 1, meta) });
    expect(await withTimeout(stream.ended, 'the end')).toBe(true);
    expect(stream.messages()).toHaveLength(6001);
    expect(faults).toEqual([]);
  });

  it('gets all of them from a fetch handler', async () => {
    const faults: Error[] = [];
    const { server } = sampleServer({}, { tools });
    const handle = toFetchHandler(server, { onWarning: (error) => faults.push(error) });
    const { headers, body } = loneCall('chat', { times: 6000 }, meta);
    const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const sent = { method: 'POST', headers: { ...types, ...(headers as Record<string, string>) } };
    const response = await handle(new Request('http://localhost/mcp', { ...sent, body: JSON.stringify(body) }));
    expect((await response.text()).split('data: ')).toHaveLength(6002);
    expect(faults).toEqual([]);
  });
});

describe('a reader for whom more waits than may', () => {
  const limits = { maxQueuedChars: 100_000 };

  // Far more than the buffers of both ends together hold, and in the second case less than all bounds.
  it.each([
    ['beyond all bounds', 100_000],
    ['and does not catch up', 3_000_000],
  ])('%s is let go once, and the call that stands alone is given up', async (_how, maxQueuedChars) => {
    const { url, faults, stats } = await serve({ limits: { maxQueuedChars } }, {}, { tools });
    const stream = await open(url, loneCall('chat', { times: 20_000, stays: true }, meta));
    stream.pause();
    await vi.waitFor(() => expect(faults).toMatchObject([{ code: 'queue-full' }]), 10_000);
    await vi.waitFor(() => expect(stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 }), 10_000);
    expect(faults).toHaveLength(1);
    expect(stats().dropped.slow).toBe(1);
    stream.resume();
    expect(await withTimeout(stream.ended, 'the end')).toBe(false);
  });

  it.each(sessionRevisions)('is let go once in a session of %s', async (revision) => {
    const { url, faults, stats } = await serve({ limits }, {}, { tools });
    const session = await startSession(url, revision);
    const stream = await session.open({ body: call('chat', { times: 20_000 }, 1, meta) });
    stream.pause();
    await vi.waitFor(() => expect(faults).toMatchObject([{ code: 'queue-full' }]), 10_000);
    await vi.waitFor(() => expect(stats()).toMatchObject({ streams: 0, activeCalls: 0 }), 10_000);
    expect(faults).toHaveLength(1);
    expect(stats().dropped.slow).toBe(1);
  });

  it('is let go once where HTTP+SSE is spoken', async () => {
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
    await vi.waitFor(() => expect(served.faults).toMatchObject([{ code: 'queue-full' }]), 10_000);
    await vi.waitFor(() => expect(served.stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 }), 10_000);
    expect(served.faults).toHaveLength(1);
    expect(served.stats().dropped.slow).toBe(1);
  });

  it('and catches up is kept', async () => {
    const { url, faults } = await serve({ limits }, {}, { tools });
    const stream = await open(url, loneCall('chat', { times: 500, stays: true }, meta));
    await stream.until(() => stream.events().length === 500, 'all that was told');
    expect(faults).toEqual([]);
    stream.cut();
  });
});
