/** What counts as received is given back, however a request, a call or a session ends: else the share of a caller would shrink. */
import { tool } from 'tenon';
import { expect, it, vi } from 'vitest';
import { withFixed } from '../../kit/fixed-limits.ts';
import { call, loneCall, notification, request, startSession } from '../../kit/http/messages.ts';
import { send } from '../../kit/http/raw-http.ts';
import { dial, written } from '../../kit/http/raw-socket.ts';
import { serve } from '../../kit/http/sample-server.ts';

/** One caller may have two of the large texts at once, and not three. */
const limits = withFixed({}, { maxTotalReceivedBytes: 2_000_000 });
const text = 'x'.repeat(200_000);
const times = 12;

async function start(options: Parameters<typeof serve>[0] = {}) {
  let running = 0;
  const obey = tool({}, async (_given, { signal, reportProgress }) => {
    running++;
    reportProgress(1);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    running--;
    return 'done';
  });
  const quick = tool({}, () => 'quick');
  const served = await serve({ limits, ...options }, {}, { tools: { obey, quick } });
  return { ...served, running: () => running };
}

it('by answers, cancellations, and the end of sessions [S24]', async () => {
  const { url, running } = await start();
  for (let at = 0; at < times; at++) {
    const session = await startSession(url, '2025-03-26');
    expect((await session.post(call('quick', { text }))).status).toBe(200);
    expect((await session.post([call('quick', { text }, 1), call('quick', {}, 2)])).status).toBe(200);
    expect((await session.post(call('missing', { text }))).status).toBe(200);
    expect((await session.post(`{"text":"${text}"`)).status).toBe(400);
    expect((await session.post(notification('notifications/unknown', { text }))).status).toBe(400);
    const cancelled = await session.open({ body: call('obey', { text }, 7, { progressToken: 7 }) });
    await session.post(notification('notifications/cancelled', { requestId: 7 }));
    await cancelled.ended;
    const left = await session.open({ body: call('obey', { text }, 8, { progressToken: 8 }) });
    left.cut();
    await session.post(request('resources/subscribe', { uri: `file:///${text}` }));
    await session.post(request('resources/unsubscribe', { uri: `file:///${text}` }));
    await session.post(request('resources/subscribe', { uri: `file:///${text}` }));
    await session.end();
    await vi.waitFor(() => expect(running()).toBe(0));
  }
});

it('by clients that disconnect, before and after their body has arrived [S24]', async () => {
  const served = await start();
  const { headers, body } = loneCall('obey', { text });
  const quick = loneCall('quick', { text });
  for (let at = 0; at < times; at++) {
    const whole = dial(served);
    whole.socket.write(written({ headers, body }));
    await vi.waitFor(() => expect(served.running()).toBe(1));
    whole.socket.destroy();
    await vi.waitFor(() => expect(served.running()).toBe(0));
    const part = dial(served);
    await new Promise((resolve) => part.socket.write(written({ headers, body }).slice(0, -10), resolve));
    part.socket.destroy();
    await part.received;
    await vi.waitFor(async () => expect((await send(served.url, quick)).status).toBe(200));
  }
});

it('by batches without a session [S24]', async () => {
  const { url } = await start({ sessions: false });
  const headers = { 'mcp-protocol-version': '2025-03-26' };
  const body = [call('quick', { text }, 1), call('quick', {}, 2), { wrong: true }];
  for (let at = 0; at < times; at++) expect((await send(url, { headers, body })).status).toBe(200);
});
