/** subscriptions/listen over HTTP: a stream that stays open, carries changes and gets keep-alive comments. */

import { describe, expect, it } from 'vitest';
import { lone, loneCall } from '../../kit/http/messages.ts';
import { open, send } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

const wanted = { notifications: { toolsListChanged: true, resourceSubscriptions: ['note://one'] } };
const methods = (messages: readonly Record<string, unknown>[]) => messages.map(({ method, id }) => method ?? id);

describe('a subscriptions/listen request', () => {
  it('is acknowledged by its first event, then gets changes and nothing else [e-http-18, e-http-19, e-http-21]', async () => {
    const { url, server } = await serve();
    const stream = await open(url, lone('subscriptions/listen', wanted, { progressToken: 'no' }, 'listener'));
    expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    await stream.until(() => stream.messages().length >= 1, 'the acknowledgement');
    expect(stream.messages()[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: wanted.notifications },
    });
    await send(url, loneCall('count', { to: 2 }, { progressToken: 'no' }));
    server.sendResourceUpdated('note://one');
    server.sendResourceUpdated('note://other');
    server.update((draft) => {
      delete draft.tools.fail;
    });
    await stream.until(() => stream.messages().length >= 3, 'two changes');
    expect(methods(stream.messages()).slice(1)).toEqual([
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ]);
    stream.cut();
    await stream.ended;
  });

  it('gets keep-alive comments while it is silent [e-http-23]', async () => {
    const { url } = await serve({ timeouts: { keepAliveMs: 10 } });
    const stream = await open(url, lone('subscriptions/listen', wanted));
    await stream.until(() => (stream.text().match(/^:/gm) ?? []).length >= 3, 'three comments');
    expect(stream.messages()).toHaveLength(1);
    stream.cut();
  });

  it('is removed when its client disconnects, and others stay open', async () => {
    const { url, server, stats } = await serve();
    const [first, second] = await Promise.all([1, 2].map(() => open(url, lone('subscriptions/listen', wanted))));
    expect(stats().streams).toBe(2);
    first?.cut();
    await second?.until(() => {
      server.sendResourceUpdated('note://one');
      return stats().streams === 1;
    }, 'the server to notice the disconnect');
    await second?.until(() => (second.messages().length ?? 0) > 1, 'the update');
    second?.cut();
  });

  it('is cancelled and answered when the server closes, with a retry time [S37]', async () => {
    const { url, close } = await serve();
    const stream = await open(url, lone('subscriptions/listen', wanted, {}, 'listener'));
    await stream.until(() => stream.messages().length >= 1, 'the acknowledgement');
    await withTimeout(close(), 'the server to close');
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(methods(stream.messages()).slice(1)).toEqual(['notifications/cancelled', 'listener']);
    expect(stream.text().match(/^retry: 1000$/gm)).toHaveLength(1);
  });
});
