/** Events of a call that the store takes late, without an answer, or not at all: a stream is complete, or ends with an error. */

import { tool } from 'tenon';
import { type EventStore, type Store } from 'tenon/store';
import { expect, it, vi } from 'vitest';
import { Attempts } from '../../../../src/server/http/session/streams/attempts.ts';
import type { StreamPorts } from '../../../../src/server/http/session/streams/stream-ports.ts';
import { deferred } from '../../../kit/deferred.ts';
import { call, request, startSession } from '../../../kit/http/messages.ts';
import type { Json, OpenResponse } from '../../../kit/http/raw-http.ts';
import { serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { at, secrets, stores } from './two-nodes.ts';

type Fault = 'before' | 'after' | undefined;

/** A store in which each append fails as the function says: it has taken place, or not. */
function faulty(store: Store, faultOf: () => Fault): Store {
  const { append } = store.events;
  const events: EventStore = {
    ...store.events,
    async append(...given) {
      const fault = faultOf();
      if (fault === 'before') throw new Error('The store is away.');
      const n = await append(...given);
      if (fault === 'after') throw new Error('The answer is lost.');
      return n;
    },
  };
  return { ...store, events };
}

const progressing = { progressToken: 'mine' };
const ended = (stream: OpenResponse): Promise<boolean> => withTimeout(stream.ended, 'the end of the stream');
const lost = {
  id: 7,
  error: { message: expect.stringContaining('could not be stored'), data: { outcome: 'unknown' } },
};
const progress = (n: number) => ({ params: { progress: n } });

const cases = stores.flatMap(([name, make]) =>
  (['before', 'after'] as const).map((fault) => [fault, name, make] as const),
);

it.each(cases)(
  'events whose appends fail once, %s they take effect, are sent and stored once each, in their order, with %s store [S20]',
  async (fault, _name, make) => {
    let count = 0;
    const store = faulty(make(), () => (++count % 2 === 1 ? fault : undefined));
    const { url } = await serve({ store }, { secrets });
    const session = await startSession(url, '2025-11-25');
    const stream = await session.open({ body: call('count', { to: 5 }, 7, progressing) });
    expect(await ended(stream)).toBe(true);
    const all = [...[1, 2, 3, 4, 5].map(progress), { id: 7, result: {} }];
    expect(stream.messages()).toMatchObject(all);
    const ids = stream.events().map(({ id }) => id);
    expect([ids.includes(undefined), new Set(ids).size]).toEqual([false, ids.length]);
    const resumed = await session.listen(ids[0]);
    expect(await ended(resumed)).toBe(true);
    expect(resumed.events().map(({ id }) => id)).toEqual(ids.slice(1));
  },
);

/** A call at one of two nodes that reports twice, and not before `release` the second time. */
async function reporting(make: () => Store) {
  let fault: Fault;
  const held = deferred();
  const report = tool({}, async (_given, ctx) => {
    ctx.reportProgress(1);
    await held.promise;
    ctx.reportProgress(2);
    return 'done';
  });
  const store = faulty(make(), () => fault);
  const start = () => serve({ store, timeouts: { storeMs: 1000 } }, { secrets }, { tools: { report } });
  const [a, b] = [await start(), await start()];
  const session = await startSession(a.url, '2025-11-25');
  const stream = await session.open({ body: call('report', {}, 7, progressing) });
  await stream.until(() => stream.messages().length >= 1, 'the progress');
  const last = stream.events().at(-1)?.id;
  const release = (): void => {
    fault = 'before';
    held.resolve();
  };
  return { a, b, session, stream, last, release };
}

it.each(stores)(
  'a stream that is read at another node ends with an error if an event cannot be stored, with %s store [S20, S31]',
  async (_name, make) => {
    const { a, b, session, stream, last, release } = await reporting(make);
    stream.cut();
    const elsewhere = await at(b, session).listen(last);
    expect(elsewhere.status).toBe(200);
    release();
    expect(await ended(elsewhere)).toBe(true);
    expect(elsewhere.messages()).toMatchObject([lost]);
    expect(a.warnings).toContainEqual(expect.objectContaining({ code: 'store-failed', details: { requestIds: [7] } }));
  },
);

it('a client that got all events gets the rest with an empty id if one cannot be stored, and an error where it resumes [S20, S31]', async () => {
  const { b, session, stream, last, release } = await reporting(stores[1][1]);
  release();
  expect(await ended(stream)).toBe(true);
  expect(stream.messages()).toMatchObject([progress(1), progress(2), { id: 7, result: {} }]);
  expect(stream.events().slice(-2)).toMatchObject([{ id: '' }, { id: '' }]);
  const resumed = await at(b, session).listen(last);
  expect(await ended(resumed)).toBe(true);
  expect(resumed.messages()).toMatchObject([lost]);
});

it.each([
  ['a notification', false],
  ['a notification about all that may have been missed', true],
])(
  '%s that could not be stored is sent at once, and again to a client that resumes and may have lost it [S20, S31]',
  async (_name, isAll) => {
    let fails = false;
    const store = stores[1][1]();
    const { append } = store.events;
    const logs = new Set<string>();
    store.events.append = async (key, ...given) => {
      if (key.startsWith('changes/')) logs.add(key);
      else if (fails) throw new Error('The store is away.');
      return append(key, ...given);
    };
    const { url, server } = await serve({ store }, { secrets });
    const session = await startSession(url, '2025-11-25');
    await session.post(request('resources/subscribe', { uri: 'note://one' }));
    const stream = await session.listen();
    server.sendResourceUpdated('note://one');
    await stream.until(() => stream.events().some(({ id }) => id !== undefined), 'a stored notification');
    const last = stream.events().at(-1)?.id;
    fails = true;
    if (isAll) for (const key of logs) await store.events.deleteSession(key);
    server.sendResourceUpdated('note://one');
    const isUpdate = ({ method }: Json): boolean => method === 'notifications/resources/updated';
    await stream.until(() => stream.messages().filter(isUpdate).length >= 2, 'the notification that is not stored');
    expect(stream.events().at(-1)?.id).toBeUndefined();
    stream.cut();
    fails = false;
    const resumed = await session.listen(last);
    await resumed.until(() => resumed.messages().some(isUpdate), 'the same notification');
    resumed.cut();
  },
);

it('a notification that cannot be stored is sent by the node at which its client listens next, also if it disconnected before that was known [S20, S31]', async () => {
  const store = stores[1][1]();
  const { append } = store.events;
  const [asked, failed] = [deferred(), deferred()];
  let fails = false;
  store.events.append = async (key, ...given) => {
    if (!fails || key.startsWith('changes/')) return append(key, ...given);
    asked.resolve();
    await failed.promise;
    throw new Error('The store is away.');
  };
  const [a, b] = [await serve({ store }, { secrets }), await serve({ store }, { secrets })];
  const session = await startSession(a.url, '2025-11-25');
  await session.post(request('resources/subscribe', { uri: 'note://one' }));
  const stream = await session.listen();
  a.server.sendResourceUpdated('note://one');
  await stream.until(() => stream.events().some(({ id }) => id !== undefined), 'a stored notification');
  fails = true;
  a.server.sendResourceUpdated('note://one');
  await withTimeout(asked.promise, 'the notification to be stored');
  stream.cut();
  await vi.waitFor(() => expect(a.stats().streams).toBe(0));
  fails = false;
  failed.resolve();
  const elsewhere = await at(b, session).listen(stream.events().at(-1)?.id);
  await elsewhere.until(() => elsewhere.messages().length > 0, 'the notification');
  expect(elsewhere.messages()).toMatchObject([{ method: 'notifications/resources/updated' }]);
  elsewhere.cut();
});

/** Attempts that fail, on a clock that jumps over their pauses. */
function failing(retryForMs: number, onPause: (attempts: Attempts) => void = () => {}) {
  let time = 0;
  const pauses: number[] = [];
  const after = (ms: number, run: () => void): void => {
    pauses.push(ms);
    time += ms;
    onPause(attempts);
    run();
  };
  const ports = { after, now: () => time, retryForMs, storeFailed: () => {} } as Partial<StreamPorts> as StreamPorts;
  const attempts = new Attempts(ports);
  const failed = { status: 'rejected', reason: new Error('away') } as const;
  return { pauses, outcome: attempts.repeat(failed, () => Promise.reject(new Error('away'))) };
}

it('an event is tried again at once, then after growing pauses, for as long as timeouts.storeMs [S20]', async () => {
  const { pauses, outcome } = failing(2000);
  expect(await outcome).toMatchObject({ status: 'rejected' });
  expect(pauses).toEqual([25, 50, 100, 200, 400, 800]);
});

it('no event is tried again once too many characters wait behind it [S20]', async () => {
  const { pauses, outcome } = failing(2000, (attempts) => attempts.stop());
  expect(await outcome).toMatchObject({ status: 'rejected' });
  expect(pauses).toEqual([25]);
});
