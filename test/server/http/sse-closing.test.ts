/** HTTP+SSE as a part of the service: it drains with it, is counted with it, logged with it, and shared with pages as it is. */

import type { Logger } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import { call, initialize, notification, request } from '../../kit/http/messages.ts';
import { type OpenResponse, open, send } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

interface Talk {
  readonly stream: OpenResponse;
  post(body: unknown): ReturnType<typeof send>;
}

const get = { method: 'GET', headers: { accept: 'text/event-stream' } };

/** A client that has said hello. */
async function talk(url: string): Promise<Talk> {
  const stream = await open(new URL('/sse', url).href, get);
  await stream.until(() => stream.events().length === 1, 'the address');
  const address = new URL(stream.events()[0]?.data ?? '', url).href;
  const post: Talk['post'] = (body) => send(address, { body });
  await post(initialize('2024-11-05'));
  await post(notification('notifications/initialized'));
  await answered(stream, 'hello');
  return { stream, post };
}

/** `messages()` cannot be used: the first event is an address. */
const received = (stream: OpenResponse) =>
  stream
    .events()
    .slice(1)
    .map(({ data }) => JSON.parse(data));

async function answered(stream: OpenResponse, id: unknown): Promise<unknown> {
  const found = (): unknown => received(stream).find((message) => message.id === id);
  await stream.until(() => found() !== undefined, `the answer to ${String(id)}`);
  return found();
}

interface Line {
  readonly text: string;
  readonly reason?: unknown;
  readonly status?: unknown;
}

function written(): { readonly logger: Logger; readonly lines: Line[] } {
  const lines: Line[] = [];
  const write = (fields: object, text: string): void => void lines.push({ ...fields, text });
  return { logger: { debug: write, info: write, warn: write, error: write }, lines };
}

describe('HTTP+SSE that drains', () => {
  it('answers what runs, refuses new streams with 503 and new requests on theirs, and ends with a hint when to come back [S37]', async () => {
    const { url, waits, release, close } = await serve();
    const { stream, post } = await talk(url);
    await post(call('wait', {}, 1));
    await withTimeout(waits, 'the handler');
    const closed = close();
    const late = await send(new URL('/sse', url).href, get);
    expect(late).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect((await post(call('echo', { text: 'x' }, 2))).status).toBe(202);
    expect(await answered(stream, 2)).toHaveProperty('error');
    release();
    expect(await answered(stream, 1)).toHaveProperty('result');
    expect(await withTimeout(stream.ended, 'the end')).toBe(true);
    expect(stream.text()).toMatch(/retry: 1000\n\n$/);
    await withTimeout(closed, 'the server to close');
  });
});

describe('HTTP+SSE beside the rest', () => {
  it('is counted with it: streams, calls, and what was dropped', async () => {
    const { url, waits, release, stats } = await serve();
    const { stream, post } = await talk(url);
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

  it('has its lines: who was refused, and who ended a stream', async () => {
    const { logger, lines } = written();
    const { url, close } = await serve({ logger, limits: { maxBodyBytes: 1000 } });
    const { stream, post } = await talk(url);
    expect((await post(request('x'.repeat(2000)))).status).toBe(413);
    expect(lines.at(-1)).toMatchObject({ text: 'request refused', status: 413 });
    const gone = await talk(url);
    gone.stream.cut();
    await vi.waitFor(() => expect(lines.at(-1)).toMatchObject({ reason: 'the client disconnected' }), 10_000);
    await withTimeout(close(), 'the server to close');
    await withTimeout(stream.ended, 'the end');
    const ends = lines.filter(({ text }) => text === 'session ended').map(({ reason }) => reason);
    expect(ends).toEqual(['the client disconnected', 'the server is closing']);
  });

  it('is shared with the pages that the rest is shared with, and no others', async () => {
    const origin = 'https://app.example';
    const { url } = await serve({ allowedOrigins: [origin] });
    const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };
    for (const path of ['/sse', '/messages?session=x']) {
      const requested = (from: string) =>
        send(new URL(path, url).href, { method: 'OPTIONS', headers: { ...preflight, origin: from } });
      expect(await requested(origin)).toMatchObject({
        status: 204,
        headers: { 'access-control-allow-origin': origin },
      });
      expect((await requested('https://other.example')).headers).not.toHaveProperty('access-control-allow-origin');
    }
    const stream = await open(new URL('/sse', url).href, { ...get, headers: { ...get.headers, origin } });
    expect(stream).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': origin } });
    stream.cut();
  });
});
