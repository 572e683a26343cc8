/** Sessions at several endpoints: they live while one endpoint uses them, and one endpoint sends the changes. */

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

/** A store with some functions of its sessions replaced. */
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

/** A store that returns a record as it was before `release` is called. */
function delayedRead(store: Store) {
  const reading = deferred();
  const released = deferred();
  const delayed = withSessions(store, {
    async read(key) {
      const fields = await store.sessions.read(key);
      reading.resolve();
      await released.promise;
      return fields;
    },
  });
  return { delayed, reading: reading.promise, release: () => released.resolve() };
}

const node = (store: Store): Promise<Served> => serve({ store }, { secrets });

/** A session whose client has not sent notifications/initialized. */
const uninitialized = (url: string): Promise<RawSession> => startSession(url, revision, { isReady: false });

describe('a session that is used at one endpoint', () => {
  it('is available at the other, however old it is', async () => {
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

  it('ends after idleTimeoutMs, even if the endpoint has not swept its sessions since', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { url } = await serve({ sessions: { idleTimeoutMs: 60_000 } });
    const session = await startSession(url, revision);
    vi.setSystemTime(Date.now() + 60_001);
    expect((await session.post(ping)).status).toBe(404);
  });
});

describe('a session that is loaded at another endpoint', () => {
  it('gets 404 if it ends while its record is read [s-http-56]', async () => {
    const store = createMemoryStore();
    const a = await node(store);
    const { delayed, reading, release } = delayedRead(store);
    const b = await node(delayed);
    const session = await startSession(a.url, revision);
    const there = at(b, session);
    const posted = there.post(ping);
    await withTimeout(reading, 'the record to be read');
    expect((await session.end()).status).toBe(204);
    await allReceived(store);
    release();
    expect((await withTimeout(posted, 'the response')).status).toBe(404);
    expect(b.stats().sessions).toBe(0);
  });

  it('gets 503 if more is published about it meanwhile than is stored', async () => {
    const store = createMemoryStore();
    const a = await node(store);
    const { delayed, reading, release } = delayedRead(store);
    const b = await node(delayed);
    const session = await startSession(a.url, revision);
    const posted = at(b, session).post(ping);
    await withTimeout(reading, 'the record to be read');
    // A call that does not run here may run elsewhere: each cancellation is published to the others.
    for (let n = 0; n < 1000; n++)
      await session.post(notification('notifications/cancelled', { requestId: `none ${n}` }));
    await allReceived(store);
    release();
    expect((await withTimeout(posted, 'the response')).status).toBe(503);
    expect((await at(b, session).post(ping)).status).toBe(200);
  });

  it('has the updates that were made while its record was read', async () => {
    const store = createMemoryStore();
    const a = await node(store);
    const { delayed, reading, release } = delayedRead(store);
    const b = await node(delayed);
    const session = await uninitialized(a.url);
    const opening = at(b, session).listen();
    await withTimeout(reading, 'the record to be read');
    expect((await session.post(initialized)).status).toBe(202);
    await allReceived(store);
    release();
    const stream = await withTimeout(opening, 'the stream');
    await allReceived(store);
    change(b);
    await stream.until(() => stream.messages().length >= 1, 'the change');
    stream.cut();
  });

  it('is initialized there before notifications/initialized is answered', async () => {
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
    const session = await uninitialized(a.url);
    const order: string[] = [];
    const answered = session.post(initialized).then(({ status }) => order.push(`answered ${status}`));
    await withTimeout(writing.promise, 'the write to begin');
    expect((await session.post(ping)).status).toBe(200);
    order.push('written');
    written.resolve();
    await withTimeout(answered, 'the response');
    expect(order).toEqual(['written', 'answered 202']);
    const stream = await at(b, session).listen();
    await allReceived(store);
    change(b);
    await stream.until(() => stream.messages().length >= 1, 'the change');
    stream.cut();
  });

  it('is initialized at the first endpoint even if the store failed, and elsewhere once it is stored', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const store = createMemoryStore();
    let fails = true;
    const update: Store['sessions']['update'] = (key, fields, expires) => {
      if ('ready' in fields && fails) throw new Error('SQLITE_BUSY');
      return store.sessions.update(key, fields, expires);
    };
    const options = { store: withSessions(store, { update }), sessions: { idleTimeoutMs: 60_000 } };
    const served = await serve(options, { secrets });
    const session = await uninitialized(served.url);
    expect((await session.post(initialized)).status).toBe(202);
    expect(served.warnings).toMatchObject([{ code: 'store-failed' }]);
    const stream = await session.listen();
    change(served);
    await stream.until(() => stream.messages().length >= 1, 'the change');
    stream.cut();
    fails = false;
    vi.setSystemTime(Date.now() + 40_000);
    expect((await session.post(ping)).status).toBe(200);
    const other = await node(store);
    const there = await at(other, session).listen();
    await allReceived(store);
    change(other);
    await there.until(() => there.messages().length >= 1, 'the change at the other');
    there.cut();
  });

  it('accepts no more subscriptions than its limit while a store is slow', async () => {
    const store = createMemoryStore();
    const written = deferred();
    const update: Store['sessions']['update'] = async (key, fields, expires) => {
      await written.promise;
      return store.sessions.update(key, fields, expires);
    };
    const served = await node(withSessions(store, { update }));
    const session = await uninitialized(served.url);
    const long = 'x'.repeat(8000);
    const requested = Array.from({ length: 80 }, (_, n) =>
      session.post(request('resources/subscribe', { uri: `note://${n}/${long}` }, n)),
    );
    const refused = await withTimeout(Promise.race(requested), 'one to be rejected');
    expect(refused.json).toMatchObject({ error: { message: expect.stringContaining('characters') } });
    written.resolve();
    const answers = await withTimeout(Promise.all(requested), 'the responses');
    expect(answers.filter(({ json }) => json !== undefined && 'result' in json)).toHaveLength(65);
  });
});

describe.each(stores)('with %s store', (_when, make) => {
  it('one of two GET streams at two endpoints gets the changes, and the other is closed when it disconnects', async () => {
    const store = make();
    const bothClaimed = deferred();
    // Both have claimed the notifications before either receives the claim of the other.
    const bus: Store['bus'] = {
      publish: (...given) => bothClaimed.promise.then(() => store.bus.publish(...given)),
      subscribe: (...given) => store.bus.subscribe(...given),
    };
    const delayed = { sessions: store.sessions, events: store.events, bus };
    const [a, b, c] = [await node(delayed), await node(delayed), await node(store)];
    const session = await startSession(c.url, revision);
    for (const one of [a, b]) expect((await at(one, session).post(ping)).status).toBe(200);
    const streams = [await at(a, session).listen(), await at(b, session).listen()];
    bothClaimed.resolve();
    for (let n = 0; n < 3; n++) await allReceived(store);
    change(a);
    const receiving = (): OpenResponse | undefined => streams.find((stream) => stream.messages().length > 0);
    await vi.waitFor(() => expect(receiving()).toBeDefined());
    const active = receiving() as OpenResponse;
    const other = streams.find((stream) => stream !== active) as OpenResponse;
    change(b);
    await active.until(() => active.messages().length >= 2, 'the second change');
    expect(other.messages()).toEqual([]);
    active.cut();
    expect(await withTimeout(other.ended, 'the other to be closed')).toBe(true);
    const next = await at(b, session).listen();
    await allReceived(store);
    change(c);
    await next.until(() => next.messages().length >= 1, 'the third change');
    next.cut();
  });
});

describe('a store that throws synchronously', () => {
  const busy = (): never => {
    throw new Error('SQLITE_BUSY');
  };

  it('in deleteExpired is passed to onWarning, and service continues', async () => {
    const store = createMemoryStore();
    const options = { timeouts: { keepAliveMs: 10 } };
    const served = await serve({ ...options, store: withSessions(store, { deleteExpired: busy }) }, { secrets });
    const session = await startSession(served.url, revision);
    await vi.waitFor(() => expect(served.warnings).not.toEqual([]));
    expect(served.warnings[0]).toMatchObject({ code: 'store-failed' });
    expect((await session.post(ping)).status).toBe(200);
  });

  it('in the update of a session in use is passed to onWarning, and the session continues', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const store = createMemoryStore();
    const update: Store['sessions']['update'] = (key, fields, expires) =>
      expires === undefined ? store.sessions.update(key, fields) : busy();
    const served = await serve(
      { store: withSessions(store, { update }), sessions: { idleTimeoutMs: 60_000 } },
      { secrets },
    );
    const session = await startSession(served.url, revision);
    vi.setSystemTime(Date.now() + 40_000);
    expect((await session.post(ping)).status).toBe(200);
    await vi.waitFor(() => expect(served.warnings).toMatchObject([{ code: 'store-failed' }]));
  });

  it('when a client disconnects is passed to onWarning, and service continues', async () => {
    const store = createMemoryStore();
    const update: Store['sessions']['update'] = (key, fields, expires) =>
      'lastSent' in fields ? busy() : store.sessions.update(key, fields, expires);
    const served = await node(withSessions(store, { update }));
    const session = await startSession(served.url, revision);
    const stream = await session.listen();
    stream.cut();
    await vi.waitFor(() => expect(served.warnings).toMatchObject([{ code: 'store-failed' }]));
    expect((await session.post(ping)).status).toBe(200);
  });
});
