/** Sessions of both transports count towards one limit; those not used since their handshake make room for others. */
import { expect, it, vi } from 'vitest';
import { request, startSession } from '../../../kit/http/messages.ts';
import { type OpenResponse, open, send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';

const newest = '2025-11-25';

/** Opens a stream of HTTP+SSE. */
const openStream = (url: string): Promise<OpenResponse> =>
  open(url.replace('/mcp', '/sse'), { method: 'GET', headers: { accept: 'text/event-stream' } });

/** Posts a message to a stream of HTTP+SSE. */
async function postTo(url: string, stream: OpenResponse): Promise<number> {
  await stream.until(() => stream.events().length > 0, 'the URL to post to');
  return (await send(new URL(stream.events()[0]?.data ?? '', url).href, { body: request('ping') })).status;
}

it('no HTTP+SSE stream is opened if a session uses all the capacity', async () => {
  const { url } = await serve({ sessions: { maxCount: 1 } });
  const session = await startSession(url, newest);
  await session.post(request('ping'));
  expect(await openStream(url)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect((await session.post(request('ping'))).status).toBe(200);
});

it('no session starts if an HTTP+SSE stream uses all the capacity, until it disconnects', async () => {
  const { url, stats } = await serve({ sessions: { maxCount: 1 } });
  const stream = await openStream(url);
  expect(await postTo(url, stream)).toBe(202);
  expect((await startSession(url, newest)).greeting).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  stream.cut();
  await vi.waitFor(() => expect(stats().sessions).toBe(0));
  expect((await startSession(url, newest)).greeting.status).toBe(200);
});

it('a session that was not used makes room for an HTTP+SSE stream, and the other way round', async () => {
  const { url, stats } = await serve({ sessions: { maxCount: 1 } });
  const session = await startSession(url, newest);
  const stream = await openStream(url);
  expect([stream.status, (await session.post(request('ping'))).status]).toEqual([200, 404]);
  expect((await startSession(url, newest)).greeting.status).toBe(200);
  expect(await stream.ended).toBe(true);
  expect(stats()).toMatchObject({ sessions: 1, streams: 0 });
});
