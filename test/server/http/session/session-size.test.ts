/** What one session may have the server keep: bounded in what its client says of itself, and in what it watches. */
import { describe, expect, it } from 'vitest';
import { initialize, lone, request, sessionRevisions, startSession } from '../../../kit/http/messages.ts';
import { open, send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';

const long = (length: number): string => 'x'.repeat(length);
const watch = (uri: string, id: number) => request('resources/subscribe', { uri }, id);

describe('a session over HTTP', () => {
  it.each(sessionRevisions)('keeps no long story that a client tells of itself, in %s', async (revision) => {
    const { url, stats } = await serve();
    const refused = await send(url, {
      body: initialize(revision, { experimental: { story: { text: long(70_000) } } }),
    });
    expect(refused).toMatchObject({ status: 400, json: { id: 'hello', error: { code: -32602 } } });
    expect(refused.json).toMatchObject({ error: { message: expect.stringContaining('at most 65536') } });
    expect([stats().sessions, refused.headers['mcp-session-id']]).toEqual([0, undefined]);
    const short = await send(url, { body: initialize(revision, { experimental: { story: { text: long(30_000) } } }) });
    expect(short.status).toBe(200);
  });

  it('watches resources of so many characters and no more, and one that it leaves makes room', async () => {
    const { url } = await serve();
    const session = await startSession(url, '2025-11-25');
    const uri = (n: number): string => `note://${n}/${long(250_000)}`;
    expect((await session.post(watch(uri(1), 1))).json).toHaveProperty('result');
    expect((await session.post(watch(uri(2), 2))).json).toHaveProperty('result');
    expect((await session.post(watch(uri(3), 3))).json).toMatchObject({
      error: { message: expect.stringContaining('524288 characters') },
    });
    expect((await session.post(watch(uri(2), 4))).json).toHaveProperty('result');
    await session.post(request('resources/unsubscribe', { uri: uri(1) }, 5));
    expect((await session.post(watch(uri(3), 6))).json).toHaveProperty('result');
  });
});

describe('requests that listen', () => {
  it('watch resources of so many characters and no more, all of an endpoint together', async () => {
    const { url } = await serve();
    const listen = (n: number) =>
      lone('subscriptions/listen', { notifications: { resourceSubscriptions: [`note://${n}/${long(2_200_000)}`] } });
    const first = await open(url, listen(1));
    expect(first.status).toBe(200);
    const second = await send(url, listen(2));
    expect(second).toMatchObject({ status: 503, json: { error: { message: expect.stringContaining('characters') } } });
    first.cut();
  });
});
