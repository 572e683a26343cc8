/** Limits of what one session stores: client information and subscribed resources. */
import { describe, expect, it } from 'vitest';
import { initialize, lone, request, sessionRevisions, startSession } from '../../../kit/http/messages.ts';
import { open, send } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';

const long = (length: number): string => 'x'.repeat(length);
const subscribe = (uri: string, id: number) => request('resources/subscribe', { uri }, id);

describe('a session over HTTP', () => {
  it.each(sessionRevisions)('rejects client information that is too long, in %s', async (revision) => {
    const { url, stats } = await serve();
    const refused = await send(url, {
      body: initialize(revision, { experimental: { info: { text: long(70_000) } } }),
    });
    expect(refused).toMatchObject({ status: 400, json: { id: 'hello', error: { code: -32602 } } });
    expect(refused.json).toMatchObject({ error: { message: expect.stringContaining('at most 65536') } });
    expect([stats().sessions, refused.headers['mcp-session-id']]).toEqual([0, undefined]);
    const short = await send(url, { body: initialize(revision, { experimental: { info: { text: long(30_000) } } }) });
    expect(short.status).toBe(200);
  });

  it('limits the characters of its subscribed URIs, and unsubscribing releases them', async () => {
    const { url } = await serve();
    const session = await startSession(url, '2025-11-25');
    const uri = (n: number): string => `note://${n}/${long(8000)}`;
    const fitting = 65;
    for (let n = 1; n <= fitting; n++) expect((await session.post(subscribe(uri(n), n))).json).toHaveProperty('result');
    expect((await session.post(subscribe(uri(fitting + 1), 101))).json).toMatchObject({
      error: { message: expect.stringContaining('524288 characters') },
    });
    expect((await session.post(subscribe(uri(2), 102))).json).toHaveProperty('result');
    await session.post(request('resources/unsubscribe', { uri: uri(1) }, 103));
    expect((await session.post(subscribe(uri(fitting + 1), 104))).json).toHaveProperty('result');
  });
});

describe('subscriptions/listen requests', () => {
  it('share one limit of characters of subscribed URIs per endpoint', async () => {
    const { url } = await serve();
    const listen = (n: number) =>
      lone('subscriptions/listen', {
        notifications: {
          // One caller gets half of them.
          resourceSubscriptions: Array.from({ length: 200 }, (_, at) => `note://${n}/${at}/${long(8000)}`),
        },
      });
    const first = await open(url, listen(1));
    expect(first.status).toBe(200);
    const second = await send(url, listen(2));
    expect(second).toMatchObject({ status: 503, json: { error: { message: expect.stringContaining('characters') } } });
    first.cut();
  });
});
