/** Stored events of finished streams are limited per session, and a failing store does not fail a call. */

import { tool } from 'tenon';
import { createMemoryStore, type EventStore } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { withFixed } from '../../../kit/fixed-limits.ts';
import { call, resumableRevisions, startSession } from '../../../kit/http/messages.ts';
import { type Served, serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { secrets } from './two-nodes.ts';

const progressing = { progressToken: 'mine' };

it('finished streams are dropped, the oldest first, when a session exceeds maxSessionChars, and get 400 like unknown ones', async () => {
  const { url } = await serve({ limits: { maxSessionChars: 5000 } });
  const session = await startSession(url, '2025-11-25');
  const ids: (string | undefined)[] = [];
  for (let id = 0; id < 6; id++) {
    const stream = await session.open({ body: call('count', { to: 10 }, id, progressing) });
    await withTimeout(stream.ended, 'the end of the stream');
    ids.push(stream.events()[0]?.id);
  }
  const statuses = await Promise.all(ids.map(async (id) => (await session.listen(id)).status));
  expect(statuses[0]).toBe(400);
  expect(statuses.at(-1)).toBe(200);
  expect(statuses).toEqual([...statuses].sort((x, y) => y - x));
  expect((await session.listen('99.1')).status).toBe(statuses[0]);
});

/** Results in a session that stores 1000 characters of a stream, and 2000 altogether. */
const results = resumableRevisions.flatMap(
  (revision) =>
    [
      [5000, revision, 'not stored, so that resuming gets 400', 400],
      [1500, revision, 'stored, since it fits the session', 200],
    ] as const,
);

it.each(results)(
  'a result of %i characters at %s is sent whole to the open stream, and %s',
  async (size, revision, _outcome, status) => {
    const large = tool({}, (_given, ctx) => {
      ctx.reportProgress(1);
      return 'x'.repeat(size);
    });
    const { url } = await serve(
      { limits: withFixed({ maxSessionChars: 2000 }, { maxStreamChars: 1000 }) },
      {},
      { tools: { large } },
    );
    const session = await startSession(url, revision);
    const stream = await session.open({ body: call('large', {}, 7, progressing) });
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.messages().at(-1)).toMatchObject({ id: 7, result: { content: [{ text: 'x'.repeat(size) }] } });
    const [last, before] = stream.events().reverse();
    const resumed = await session.listen(before?.id);
    expect([resumed.status, resumed.headers['content-type']]).toEqual([
      status,
      status === 200 ? 'text/event-stream' : 'application/json',
    ]);
    expect(await withTimeout(resumed.ended, 'the end of the stream')).toBe(true);
    expect((await session.listen(last?.id)).status).toBe(204);
  },
);

/** A server with an event store in which the named functions fail. */
function serveFailing(names: readonly (keyof EventStore)[], fail: () => never | Promise<never>): Promise<Served> {
  const store = createMemoryStore();
  const events = { ...store.events, ...Object.fromEntries(names.map((name) => [name, fail])) };
  const timeouts = { storeMs: 20 };
  return serve({ store: { sessions: store.sessions, bus: store.bus, events }, timeouts }, { secrets });
}

const failures = [
  ['rejects', () => Promise.reject(new Error('The disk is full.')), 'store-failed'],
  ['never answers [S20]', () => new Promise<never>(() => {}), 'store-timeout'],
  [
    'throws',
    () => {
      throw new Error('The disk is full.');
    },
    'store-failed',
  ],
] as const;

describe.each(failures)('if the event store %s', (_how, fail, code) => {
  it.each(resumableRevisions)(
    'a client in a session at %s gets all notifications and the response, without ids, and onWarning is called [s-http-20, s-http-24]',
    async (revision) => {
      const { url, warnings } = await serveFailing(['append', 'end'], fail);
      const session = await startSession(url, revision);
      const stream = await session.open({ body: call('count', { to: 2 }, 7, progressing) });
      expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
      expect(stream.events().map(({ id }) => id)).toEqual([undefined, undefined, undefined]);
      expect(stream.messages()).toMatchObject([{ params: { progress: 1 } }, { params: { progress: 2 } }, { id: 7 }]);
      const [incomplete, ...others] = warnings.filter(({ message }) => message.includes('cannot be resumed'));
      expect([incomplete, others]).toMatchObject([{ code: 'store-failed', details: { requestIds: [7] } }, []]);
      const causes = warnings.filter((warning) => warning !== incomplete);
      expect(causes).not.toEqual([]);
      for (const warning of causes) expect(warning).toMatchObject({ code });
    },
  );

  it('in all functions, a call still gets its response and its stream ends', async () => {
    const { url } = await serveFailing(['append', 'readAfter', 'end'], fail);
    const session = await startSession(url, '2025-11-25');
    const stream = await session.open({ body: call('count', { to: 1 }, 7, progressing) });
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.messages()).toMatchObject([{ params: { progress: 1 } }, { id: 7 }]);
  });

  it('closeStream does not close a stream without event ids', async () => {
    const { url, release, waits } = await serveFailing(['append'], fail);
    const session = await startSession(url, '2025-11-25');
    const stream = await session.open({ body: call('leave', {}, 7, progressing) });
    await withTimeout(waits, 'the handler');
    release();
    expect(await withTimeout(stream.ended, 'the end of the stream')).toBe(true);
    expect(stream.messages()).toMatchObject([{ params: { progress: 1 } }, { id: 7 }]);
  });
});
