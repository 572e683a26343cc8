/** Calls that run longer than shutdownMs after a server begins to close: each gets an error and is aborted. */

import { describe, expect, it } from 'vitest';
import { call, loneCall, request, sessionRevisions, startSession } from '../../kit/http/messages.ts';
import { open, send } from '../../kit/http/raw-http.ts';
import { serve } from '../../kit/http/sample-server.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { at, twoNodes } from '../../server/http/session/two-nodes.ts';

const cancelled = { error: { message: expect.stringContaining('cancelled this call') } };
const options = { timeouts: { shutdownMs: 20 } };

describe('a call that runs longer than shutdownMs', () => {
  it.each([
    ['stateless', loneCall('wait'), {}],
    ['without a session', { body: call('wait') }, { sessions: false as const }],
  ])('gets 503, and the abort reason of its handler says why, %s [S37]', async (_name, sent, more) => {
    const { url, waits, aborted: abortReason, close } = await serve({ ...options, ...more });
    const waiting = send(url, sent);
    await withTimeout(waits, 'the handler');
    const closed = close();
    expect(await withTimeout(waiting, 'the answer')).toMatchObject({ status: 503, json: { id: 1, ...cancelled } });
    expect(await withTimeout(abortReason, 'the signal')).toBe('the server is closing');
    await withTimeout(closed, 'the server to close');
  });

  it('gets its error on its stream if it has sent a notification before', async () => {
    const { url, close } = await serve(options);
    const stream = await open(url, loneCall('wait', {}, { progressToken: 'p' }));
    await stream.until(() => stream.messages().length >= 1, 'the notification');
    const closed = close();
    expect(await withTimeout(stream.ended, 'the end')).toBe(true);
    expect(stream.messages()[1]).toMatchObject({ id: 1, ...cancelled });
    await withTimeout(closed, 'the server to close');
  });

  it('gets its error also if other calls have finished or disconnected before', async () => {
    const { url, waits, close, stats } = await serve(options);
    const [first, second] = [send(url, loneCall('wait')), send(url, loneCall('wait', {}, {}, 2))];
    await withTimeout(waits, 'the handler');
    const left = await open(url, loneCall('wait', {}, { progressToken: 'p' }, 3));
    left.cut();
    expect((await send(url, loneCall('echo', { text: 'x' }))).status).toBe(200);
    const closed = close();
    const answers = await withTimeout(Promise.all([first, second]), 'the answers');
    expect(answers.map(({ status, json }) => [status, json.id])).toEqual([
      [503, 1],
      [503, 2],
    ]);
    await withTimeout(closed, 'the server to close');
    expect(stats().sessions).toBe(0);
  });

  it.each(sessionRevisions)(
    'does not end its session on another node that shares the store, in %s',
    async (revision) => {
      const { a, b } = await twoNodes(options);
      const session = await startSession(a.url, revision);
      const waiting = session.post(call('wait'));
      await withTimeout(a.waits, 'the handler');
      const closed = a.close();
      expect(await withTimeout(waiting, 'the answer')).toMatchObject({ status: 503, json: { id: 1, ...cancelled } });
      expect(await withTimeout(a.aborted, 'the signal')).toBe('the server is closing');
      await withTimeout(closed, 'the node to close');
      expect((await at(b, session).post(request('ping', undefined, 2))).status).toBe(200);
    },
  );
});
