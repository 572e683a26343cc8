/** What is kept of streams that have ended is bounded for a whole session, and a store that keeps nothing costs no answer. */

import { tool } from 'tenon';
import { createMemoryStore, type EventStore } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { call, resumableRevisions, startSession } from '../../../kit/http/messages.ts';
import { type Served, serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { secrets } from './two-nodes.ts';

const progressing = { progressToken: 'mine' };

it('streams that have ended are forgotten, the oldest first, when a session keeps too much, as those are that nobody knows', async () => {
  const { url } = await serve({ limits: { maxSessionChars: 5000 } });
  const session = await startSession(url, '2025-11-25');
  const ids: (string | undefined)[] = [];
  for (let id = 0; id < 6; id++) {
    const stream = await session.open({ body: call('count', { to: 10 }, id, progressing) });
    await withTimeout(stream.ended, 'the end');
    ids.push(stream.events()[0]?.id);
  }
  const statuses = await Promise.all(ids.map(async (id) => (await session.listen(id)).status));
  expect(statuses[0]).toBe(400);
  expect(statuses.at(-1)).toBe(200);
  expect(statuses).toEqual([...statuses].sort((x, y) => y - x));
  expect((await session.listen('99.1')).status).toBe(statuses[0]);
});

/** Of a session that keeps 1000 characters of a stream, and 2000 altogether. */
const results = resumableRevisions.flatMap(
  (revision) =>
    [
      [5000, revision, 'not kept, which who comes for it is told', 400],
      [1500, revision, 'kept, since there is room', 200],
    ] as const,
);

it.each(results)(
  'a result of %i characters in %s is read whole by who is there, and %s',
  async (size, revision, _what, status) => {
    const large = tool({}, (_given, ctx) => {
      ctx.reportProgress(1);
      return 'x'.repeat(size);
    });
    const { url } = await serve({ limits: { maxStreamChars: 1000, maxSessionChars: 2000 } }, {}, { tools: { large } });
    const session = await startSession(url, revision);
    const stream = await session.open({ body: call('large', {}, 7, progressing) });
    expect(await withTimeout(stream.ended, 'the end')).toBe(true);
    expect(stream.messages().at(-1)).toMatchObject({ id: 7, result: { content: [{ text: 'x'.repeat(size) }] } });
    const [last, before] = stream.events().reverse();
    const taken = await session.listen(before?.id);
    expect([taken.status, taken.headers['content-type']]).toEqual([
      status,
      status === 200 ? 'text/event-stream' : 'application/json',
    ]);
    expect(await withTimeout(taken.ended, 'the end')).toBe(true);
    expect((await session.listen(last?.id)).status).toBe(204);
  },
);

/** A store whose logs fail where they are told to. */
function failing(names: readonly (keyof EventStore)[], fail: () => never | Promise<never>): Promise<Served> {
  const store = createMemoryStore();
  const events = { ...store.events, ...Object.fromEntries(names.map((name) => [name, fail])) };
  return serve({ sessions: { store: { sessions: store.sessions, bus: store.bus, events } } }, { secrets });
}

const ways = [
  ['fails later', () => Promise.reject(new Error('The disk is full.'))],
  [
    'throws',
    () => {
      throw new Error('The disk is full.');
    },
  ],
] as const;

describe.each(ways)('where the store of events %s', (_how, fail) => {
  it.each(resumableRevisions)(
    'a reader in a session of %s gets all that is told and the answer, without ids, and fault hears of it [s-http-20, s-http-24]',
    async (revision) => {
      const { url, faults } = await failing(['append'], fail);
      const session = await startSession(url, revision);
      const stream = await session.open({ body: call('count', { to: 2 }, 7, progressing) });
      expect(await withTimeout(stream.ended, 'the end')).toBe(true);
      expect(stream.events().map(({ id }) => id)).toEqual([undefined, undefined, undefined]);
      expect(stream.messages()).toMatchObject([{ params: { progress: 1 } }, { params: { progress: 2 } }, { id: 7 }]);
      expect(faults).not.toEqual([]);
      for (const fault of faults) expect(fault).toMatchObject({ code: 'store-failed' });
    },
  );

  it('altogether, a call is answered and its response ends', async () => {
    const { url } = await failing(['append', 'readAfter', 'end'], fail);
    const session = await startSession(url, '2025-11-25');
    const stream = await session.open({ body: call('count', { to: 1 }, 7, progressing) });
    expect(await withTimeout(stream.ended, 'the end')).toBe(true);
    expect(stream.messages()).toMatchObject([{ params: { progress: 1 } }, { id: 7 }]);
  });

  it('a reader that has no event to come back with is not sent away', async () => {
    const { url, release, waits } = await failing(['append'], fail);
    const session = await startSession(url, '2025-11-25');
    const stream = await session.open({ body: call('leave', {}, 7, progressing) });
    await withTimeout(waits, 'the handler');
    release();
    expect(await withTimeout(stream.ended, 'the end')).toBe(true);
    expect(stream.messages()).toMatchObject([{ params: { progress: 1 } }, { id: 7 }]);
  });
});
