/** Sessions that several endpoints hold at once: they last as long as anybody uses them, and one endpoint tells of changes. */

import { createMemoryStore, type Store } from 'tenon/store';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { deferred } from '../../../kit/deferred.ts';
import { notification, type RawSession, request, startSession } from '../../../kit/http/messages.ts';
import type { OpenResponse } from '../../../kit/http/raw-http.ts';
import { type Served, serve } from '../../../kit/http/sample-server.ts';
import { withTimeout } from '../../../kit/with-timeout.ts';
import { allReceived, at, secrets, stores, twoNodes } from './two-nodes.ts';

const revision = '2025-11-25';
const ping = request('ping');
const initialized = notification('notifications/initialized');

afterEach(() => {
  vi.useRealTimers();
});

const change = ({ server }: Served): void =>
  server.update((draft) => {
    delete draft.tools[Object.keys(draft.tools)[0] ?? ''];
  });

/** A store of which some functions are replaced. */
const withSessions = (store: Store, sessions: Partial<Store['sessions']>): Store => ({
  bus: store.bus,
  events: store.events,
  sessions: {
    get epoch() {
      return store.sessions.epoch;
    },
    create: (...given) => store.sessions.create(...given),
    read: (...given) => store.sessions.read(...given),
    update: (...given) => store.sessions.update(...given),
    delete: (...given) => store.sessions.delete(...given),
    deleteExpired: () => store.sessions.deleteExpired(),
    ...sessions,
  },
});

/** A store that gives a record as it was before the test lets go of it. */
function heldRead(store: Store) {
  const reading = deferred();
  const released = deferred();
  const held = withSessions(store, {
    async read(key) {
      const fields = await store.sessions.read(key);
      reading.resolve();
      await released.promise;
      return fields;
    },
  });
  return { held, reading: reading.promise, release: () => released.resolve() };
}

const node = (store: Store): Promise<Served> => serve({ sessions: { store } }, { secrets });

/** A session whose client has not said that it is ready. */
const greeted = (url: string): Promise<RawSession> => startSession(url, revision, { isReady: false });

describe('a session that is used at one endpoint', () => {
  it('is there at the other, however long ago it began', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { a, b, store } = await twoNodes({ sessions: { idleTimeoutMs: 3000 } });
    const session = await startSession(a.url, revision);
    vi.setSystemTime(Date.now() + 2900);
    expect((await session.post(ping)).status).toBe(200);
    vi.setSystemTime(Date.now() + 160);
    store.sessions.deleteExpired();
    expect((await at(b, session).post(ping)).status).toBe(200);
    vi.setSystemTime(Date.now() + 1000);
    expect((await session.post(ping)).status).toBe(200);
  });

  it('is over when nobody has used it for its time, however seldom the endpoint looks', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { url } = await serve({ sessions: { idleTimeoutMs: 60_000 } });
    const session = await startSession(url, revision);
    vi.setSystemTime(Date.now() + 60_001);
    expect((await session.post(ping)).status).toBe(404);
  });
});

describe('a session that is taken up at another endpoint', () => {
  it('is not, where it ends while its record is read [s-http-56]', async () => {
    const store = createMemoryStore();
    const a = await node(store);
    const { held, reading, release } = heldRead(store);
    const b = await node(held);
    const session = await startSession(a.url, revision);
    const there = at(b, session);
    const posted = there.post(ping);
    await withTimeout(reading, 'the record to be read');
    expect((await session.end()).status).toBe(204);
    await allReceived(store);
    release();
    expect((await withTimeout(posted, 'the answer')).status).toBe(404);
    expect(b.stats().sessions).toBe(0);
  });

  it('is refused for now where more is told of it meanwhile than is kept', async () => {
    const store = createMemoryStore();
    const a = await node(store);
    const { held, reading, release } = heldRead(store);
    const b = await node(held);
    const session = await startSession(a.url, revision);
    const posted = at(b, session).post(ping);
    await withTimeout(reading, 'the record to be read');
    // What does not run here may run elsewhere: each is told to the others.
    for (let n = 0; n < 1000; n++)
      await session.post(notification('notifications/cancelled', { requestId: `none ${n}` }));
    await allReceived(store);
    release();
    expect((await withTimeout(posted, 'the answer')).status).toBe(503);
    expect((await at(b, session).post(ping)).status).toBe(200);
  });

  it('knows there what was learned while its record was read', async () => {
    const store = createMemoryStore();
    const a = await node(store);
    const { held, reading, release } = heldRead(store);
    const b = await node(held);
    const session = await greeted(a.url);
    const opening = at(b, session).listen();
    await withTimeout(reading, 'the record to be read');
    expect((await session.post(initialized)).status).toBe(202);
    await allReceived(store);
    release();
    const stream = await withTimeout(opening, 'the stream');
    await allReceived(store);
    change(b);
    await stream.until(() => stream.messages().length === 1, 'the change');
    stream.cut();
  });

  it('is ready there as soon as its client was told that it is', async () => {
    const store = createMemoryStore();
    const writing = deferred();
    const written = deferred();
    const a = await node(
      withSessions(store, {
        async update(key, fields, expires) {
          if ('ready' in fields) {
            writing.resolve();
            await written.promise;
          }
          return store.sessions.update(key, fields, expires);
        },
      }),
    );
    const b = await node(store);
    const session = await greeted(a.url);
    const order: string[] = [];
    const notified = session.post(initialized).then(({ status }) => order.push(`told ${status}`));
    await withTimeout(writing.promise, 'the write to begin');
    expect((await session.post(ping)).status).toBe(200);
    order.push('written');
    written.resolve();
    await withTimeout(notified, 'the answer');
    expect(order).toEqual(['written', 'told 202']);
    const stream = await at(b, session).listen();
    await allReceived(store);
    change(b);
    await stream.until(() => stream.messages().length === 1, 'the change');
    stream.cut();
  });

  it('is ready where its client has said so, also if that could not be kept, and elsewhere once it is kept', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const store = createMemoryStore();
    let refuses = true;
    const update: Store['sessions']['update'] = (key, fields, expires) => {
      if ('ready' in fields && refuses) throw new Error('SQLITE_BUSY');
      return store.sessions.update(key, fields, expires);
    };
    const options = { sessions: { idleTimeoutMs: 60_000, store: withSessions(store, { update }) } };
    const served = await serve(options, { secrets });
    const session = await greeted(served.url);
    expect((await session.post(initialized)).status).toBe(202);
    expect(served.faults).toMatchObject([{ code: 'store-failed' }]);
    const stream = await session.listen();
    change(served);
    await stream.until(() => stream.messages().length === 1, 'the change');
    stream.cut();
    refuses = false;
    vi.setSystemTime(Date.now() + 40_000);
    expect((await session.post(ping)).status).toBe(200);
    const other = await node(store);
    const there = await at(other, session).listen();
    await allReceived(store);
    change(other);
    await there.until(() => there.messages().length === 1, 'the change at the other');
    there.cut();
  });

  it('takes no more watched resources than it may while a store takes its time', async () => {
    const store = createMemoryStore();
    const written = deferred();
    const update: Store['sessions']['update'] = async (key, fields, expires) => {
      await written.promise;
      return store.sessions.update(key, fields, expires);
    };
    const served = await node(withSessions(store, { update }));
    const session = await greeted(served.url);
    const long = 'x'.repeat(100_000);
    const requested = Array.from({ length: 20 }, (_, n) =>
      session.post(request('resources/subscribe', { uri: `note://${n}/${long}` }, n)),
    );
    const refused = await withTimeout(Promise.race(requested), 'one to be refused');
    expect(refused.json).toMatchObject({ error: { message: expect.stringContaining('characters') } });
    written.resolve();
    const answers = await withTimeout(Promise.all(requested), 'the answers');
    expect(answers.filter(({ json }) => json !== undefined && 'result' in json)).toHaveLength(5);
  });
});

describe.each(stores)('over a store that answers %s', (_when, make) => {
  it('one of two that listen at once at two endpoints hears of changes, and the other is sent for when it leaves', async () => {
    const store = make();
    const crossed = deferred();
    // Both have claimed before either hears of the other.
    const bus: Store['bus'] = {
      publish: (...given) => crossed.promise.then(() => store.bus.publish(...given)),
      subscribe: (...given) => store.bus.subscribe(...given),
    };
    const held = { sessions: store.sessions, events: store.events, bus };
    const [a, b, c] = [await node(held), await node(held), await node(store)];
    const session = await startSession(c.url, revision);
    for (const one of [a, b]) expect((await at(one, session).post(ping)).status).toBe(200);
    const streams = [await at(a, session).listen(), await at(b, session).listen()];
    crossed.resolve();
    for (let n = 0; n < 3; n++) await allReceived(store);
    change(a);
    const receiving = (): OpenResponse | undefined => streams.find((stream) => stream.messages().length > 0);
    await vi.waitFor(() => expect(receiving()).toBeDefined());
    const received = receiving() as OpenResponse;
    const other = streams.find((stream) => stream !== received) as OpenResponse;
    change(b);
    await received.until(() => received.messages().length === 2, 'the second change');
    expect(other.messages()).toEqual([]);
    received.cut();
    expect(await withTimeout(other.ended, 'the other to be sent back')).toBe(true);
    const next = await at(b, session).listen();
    await allReceived(store);
    change(c);
    await next.until(() => next.messages().length === 1, 'the third change');
    next.cut();
  });
});

describe('a store that fails at once, without a promise,', () => {
  const busy = (): never => {
    throw new Error('SQLITE_BUSY');
  };

  it('when it is swept is told of, and everything goes on', async () => {
    const store = createMemoryStore();
    const options = { timeouts: { keepAliveMs: 10 } };
    const served = await serve(
      { ...options, sessions: { store: withSessions(store, { deleteExpired: busy }) } },
      { secrets },
    );
    const session = await startSession(served.url, revision);
    await vi.waitFor(() => expect(served.faults).not.toEqual([]));
    expect(served.faults[0]).toMatchObject({ code: 'store-failed' });
    expect((await session.post(ping)).status).toBe(200);
  });

  it('when the record of a session in use is to be kept is told of, and the session goes on', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const store = createMemoryStore();
    const update: Store['sessions']['update'] = (key, fields, expires) =>
      expires === undefined ? store.sessions.update(key, fields) : busy();
    const served = await serve(
      { sessions: { idleTimeoutMs: 60_000, store: withSessions(store, { update }) } },
      { secrets },
    );
    const session = await startSession(served.url, revision);
    vi.setSystemTime(Date.now() + 40_000);
    expect((await session.post(ping)).status).toBe(200);
    await vi.waitFor(() => expect(served.faults).toMatchObject([{ code: 'store-failed' }]));
  });

  it('when a reader leaves is told of, and everything goes on', async () => {
    const store = createMemoryStore();
    const update: Store['sessions']['update'] = (key, fields, expires) =>
      'given' in fields ? busy() : store.sessions.update(key, fields, expires);
    const served = await node(withSessions(store, { update }));
    const session = await startSession(served.url, revision);
    const stream = await session.listen();
    stream.cut();
    await vi.waitFor(() => expect(served.faults).toMatchObject([{ code: 'store-failed' }]));
    expect((await session.post(ping)).status).toBe(200);
  });
});
