/** Streams end when the credential that opened them expires, and calls that run finish. */
import { createServer, tool } from 'tenon';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toFetchHandler } from '../../../src/server/http/fetch.ts';
import { call, initialize, lone, loneCall, notification } from '../../kit/http/messages.ts';
import { sampleServer } from '../../kit/http/sample-server.ts';
import { envelope, request as message, openRaw } from '../../kit/transport/raw-connection.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const minutes = 60_000;
const listened = { notifications: { toolsListChanged: true } };

/** A server whose credentials last ten minutes. */
function start() {
  const sample = sampleServer();
  const authenticate = () => ({ issuer: 'i', subject: 'ada', expiresAt: Date.now() + 10 * minutes });
  const handle = toFetchHandler(sample.server, { authenticate, sessions: { idleTimeoutMs: 60 * minutes } });
  const post = ({ headers = {}, body }: { readonly headers?: object; readonly body: unknown }) =>
    handle(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify(body),
      }),
    );
  const get = (headers: Record<string, string>) =>
    handle(new Request('http://localhost/mcp', { headers: { accept: 'text/event-stream', ...headers } }));
  const startSession = async (version: string) => {
    const { headers } = await post({ body: initialize(version) });
    const own = { 'mcp-session-id': headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': version };
    await post({ headers: own, body: notification('notifications/initialized') });
    return own;
  };
  return { ...sample, handle, post, get, startSession };
}

/** Reads a stream; `done` once it has ended. */
function reading(response: Response) {
  const read = { text: '', done: false };
  void (async () => {
    const decoder = new TextDecoder();
    for await (const part of response.body ?? []) read.text += decoder.decode(part as Uint8Array);
    read.done = true;
  })();
  return read;
}

describe('when its credential expires', () => {
  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    'the stream of a session at %s ends with a time to reconnect, and the session stays [e-secbp-09]',
    async (version) => {
      const { get, post, startSession, handle } = start();
      const session = await startSession(version);
      const stream = reading(await get(session));
      await vi.advanceTimersByTimeAsync(10 * minutes - 1);
      expect(stream.done).toBe(false);
      await vi.advanceTimersByTimeAsync(1000);
      expect(stream).toMatchObject({ done: true, text: expect.stringMatching(/retry: 1000\n\n$/) });
      expect((await post({ headers: session, body: message(1, 'ping') })).status).toBe(200);
      expect((await get(session)).status).toBe(200);
      await handle.close(0);
    },
  );

  it('a subscription is cancelled and answered, with a time to reconnect [e-secbp-09]', async () => {
    const { post, handle, server } = start();
    const stream = reading(await post(lone('subscriptions/listen', listened, {}, 'listener')));
    await vi.advanceTimersByTimeAsync(10 * minutes - 1);
    expect(stream.done).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);
    expect(stream.done).toBe(true);
    expect(stream.text).toMatch(/retry: 1000\n\n.*notifications\/cancelled.*expired.*"id":"listener","result"/s);
    server.sendResourceUpdated('note://one');
    expect(handle.stats()).toMatchObject({ streams: 0, activeCalls: 0 });
    await handle.close(0);
  });

  it.each(['2025-06-18', '2025-11-25'])(
    'the stream of a running call at %s ends, and its client resumes it with new credentials',
    async (version) => {
      const { get, post, startSession, handle, release, waits } = start();
      const session = await startSession(version);
      const stream = reading(await post({ headers: session, body: call('wait', {}, 7, { progressToken: 1 }) }));
      await waits;
      await vi.advanceTimersByTimeAsync(10 * minutes + 1000);
      expect(stream).toMatchObject({ done: true, text: expect.stringMatching(/retry: 1000\n\n$/) });
      expect(stream.text).not.toContain('waited');
      const id = [...stream.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';
      const rest = reading(await get({ ...session, 'last-event-id': id }));
      release();
      await vi.advanceTimersByTimeAsync(0);
      expect(rest).toMatchObject({ done: true, text: expect.stringContaining('waited') });
      await handle.close(0);
    },
  );

  it('the stream of a running call without a session stays, since it cannot be resumed', async () => {
    const { post, handle, release, waits } = start();
    const stream = reading(await post(loneCall('wait', {}, { progressToken: 1 })));
    await waits;
    await vi.advanceTimersByTimeAsync(11 * minutes);
    expect(stream.done).toBe(false);
    release();
    await vi.advanceTimersByTimeAsync(0);
    expect(stream).toMatchObject({ done: true, text: expect.stringContaining('waited') });
    await handle.close(0);
  });

  it('no timer is left of a stream that ended before', async () => {
    const { post, handle } = start();
    const response = await post(lone('subscriptions/listen', listened));
    await response.body?.cancel();
    await handle.close(0);
    await vi.advanceTimersByTimeAsync(11 * minutes);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a subscription in memory ends too', async () => {
    const server = createServer({ name: 'one', version: '1', tools: { echo: tool({}, () => 'hello') } });
    const { send, next } = openRaw(server, {
      principal: { issuer: 'i', subject: 'ada', expiresAt: Date.now() + 5000 },
    });
    send(message('listener', 'subscriptions/listen', envelope(listened)));
    expect(await next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
    await vi.advanceTimersByTimeAsync(5000);
    expect(await next()).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 'listener' } });
    expect(await next()).toMatchObject({ id: 'listener', result: {} });
  });
});
