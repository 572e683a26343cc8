/** HTTP+SSE as a part of the service: draining, stats, logs and CORS apply to it as well. */

import type { Logger } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import { call, initialize, notification, request } from '../../kit/http/messages.ts';
import { type OpenResponse, open, send } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

interface SseClient {
  readonly stream: OpenResponse;
  post(body: unknown): ReturnType<typeof send>;
}

const get = { method: 'GET', headers: { accept: 'text/event-stream' } };

/** A client after the handshake. */
async function connectSse(url: string): Promise<SseClient> {
  const stream = await open(new URL('/sse', url).href, get);
  await stream.until(() => stream.events().length >= 1, 'the endpoint event');
  const address = new URL(stream.events()[0]?.data ?? '', url).href;
  const post: SseClient['post'] = (body) => send(address, { body });
  await post(initialize('2024-11-05'));
  await post(notification('notifications/initialized'));
  await answered(stream, 'hello');
  return { stream, post };
}

/** `messages()` cannot be used: the first event is the endpoint, not a message. */
const received = (stream: OpenResponse) =>
  stream
    .events()
    .slice(1)
    .map(({ data }) => JSON.parse(data));

async function answered(stream: OpenResponse, id: unknown): Promise<unknown> {
  const found = (): unknown => received(stream).find((message) => message.id === id);
  await stream.until(() => found() !== undefined, `the response to ${String(id)}`);
  return found();
}

interface Line {
  readonly text: string;
  readonly reason?: unknown;
  readonly status?: unknown;
}

function recordingLogger(): { readonly logger: Logger; readonly lines: Line[] } {
  const lines: Line[] = [];
  const write = (fields: object, text: string): void => void lines.push({ ...fields, text });
  return { logger: { debug: write, info: write, warn: write, error: write }, lines };
}

describe('HTTP+SSE that drains', () => {
  it('answers running calls, rejects new streams with 503 and new requests with errors, and ends with a retry time [S37]', async () => {
    const { url, waits, release, close } = await serve();
    const { stream, post } = await connectSse(url);
    await post(call('wait', {}, 1));
    await withTimeout(waits, 'the handler');
    const closed = close();
    const late = await send(new URL('/sse', url).href, get);
    expect(late).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect((await post(call('echo', { text: 'x' }, 2))).status).toBe(202);
    expect(await answered(stream, 2)).toHaveProperty('error');
    release();
    expect(await answered(stream, 1)).toHaveProperty('result');
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.text()).toMatch(/retry: 1000\n\n$/);
    await withTimeout(closed, 'the server to close');
  });
});

describe('HTTP+SSE', () => {
  it('is counted in stats: sessions, streams, calls and dropped messages', async () => {
    const { url, waits, release, stats } = await serve();
    const { stream, post } = await connectSse(url);
    expect(stats()).toMatchObject({ sessions: 1, streams: 1, activeCalls: 0 });
    await post(call('wait', {}, 1));
    await withTimeout(waits, 'the handler');
    expect(stats()).toMatchObject({ sessions: 1, streams: 1, activeCalls: 1 });
    release();
    await answered(stream, 1);
    expect(stats().activeCalls).toBe(0);
    await post({ jsonrpc: '2.0', id: 99, result: {} });
    await post('no JSON');
    expect(stats().dropped).toMatchObject({ unknown: 1, invalid: 1 });
    stream.cut();
    await vi.waitFor(() => expect(stats()).toMatchObject({ sessions: 0, streams: 0, activeCalls: 0 }), 10_000);
  });

  it('is logged: rejected requests, and why sessions ended', async () => {
    const { logger, lines } = recordingLogger();
    const { url, close } = await serve({ logger, limits: { maxBodyBytes: 1000 } });
    const { stream, post } = await connectSse(url);
    expect((await post(request('x'.repeat(2000)))).status).toBe(413);
    expect(lines.at(-1)).toMatchObject({ text: 'request refused', status: 413 });
    const second = await connectSse(url);
    second.stream.cut();
    await vi.waitFor(() => expect(lines.at(-1)).toMatchObject({ reason: 'the client disconnected' }), 10_000);
    await withTimeout(close(), 'the server to close');
    await withTimeout(stream.ended, 'the end of the stream');
    const ends = lines.filter(({ text }) => text === 'session ended').map(({ reason }) => reason);
    expect(ends).toEqual(['the client disconnected', 'the server is closing']);
  });

  it('allows pages of allowedOrigins, and no others', async () => {
    const origin = 'https://app.example';
    const { url } = await serve({ allowedOrigins: [origin] });
    const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };
    for (const path of ['/sse', '/messages?session=x']) {
      const sendPreflight = (from: string) =>
        send(new URL(path, url).href, { method: 'OPTIONS', headers: { ...preflight, origin: from } });
      expect(await sendPreflight(origin)).toMatchObject({
        status: 204,
        headers: { 'access-control-allow-origin': origin },
      });
      expect((await sendPreflight('https://other.example')).headers).not.toHaveProperty('access-control-allow-origin');
    }
    const stream = await open(new URL('/sse', url).href, { ...get, headers: { ...get.headers, origin } });
    expect(stream).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': origin } });
    stream.cut();
  });
});
