/** A page of another site embeds the URLs of streams as images: every load would take up a session. */
import { describe, expect, it } from 'vitest';
import { startSession } from '../../kit/http/messages.ts';
import { open, send } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';

const streams = (url: string) => [url, `${url}/events`, new URL('/sse', url).href];

describe('a GET that a browser sends for a page', () => {
  it.each(['cross-site', 'same-site'])(
    'of another origin (%s) that it does not name gets 403 and opens no session [S21]',
    async (site) => {
      const { url, stats } = await serve();
      for (const stream of streams(url)) {
        const headers = { accept: '*/*', 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' };
        const { status, json } = await send(stream, { method: 'GET', headers });
        expect([stream, status]).toEqual([stream, 403]);
        expect(json).toMatchObject({ error: { message: expect.stringContaining('allowedOrigins') } });
      }
      expect(stats()).toMatchObject({ sessions: 0, streams: 0 });
    },
  );

  it('of another origin gets 403 for the stream of a session, also with its id [S21]', async () => {
    const { url } = await serve();
    const { id } = await startSession(url, '2025-11-25');
    const headers = { accept: 'text/event-stream', 'mcp-session-id': id, 'sec-fetch-site': 'cross-site' };
    expect((await send(url, { method: 'GET', headers })).status).toBe(403);
    expect((await send(url, { method: 'DELETE', headers })).status).toBe(403);
  });

  it.each([
    ['of an allowed origin', { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }],
    ['of an allowed host at another port', { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-site' }],
    ['of its own origin', { 'sec-fetch-site': 'same-origin' }],
    ['that the user opened', { 'sec-fetch-site': 'none' }],
  ])('%s opens a stream [S20]', async (_page, headers) => {
    const { url } = await serve({ allowedOrigins: ['https://app.example'] });
    const stream = await open(new URL('/sse', url).href, {
      method: 'GET',
      headers: { accept: 'text/event-stream', ...headers },
    });
    expect(stream.status).toBe(200);
    await stream.until(() => stream.text().includes('event: endpoint'), 'the endpoint');
    stream.cut();
  });
});
