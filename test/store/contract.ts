/** The contract of every store. The test of a driver passes its store to `testStore`. */

import * as fc from 'fast-check';
import type { EventLogLimits, Store } from 'tenon/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deferred } from '../kit/deferred.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { testApprovals } from './approval-contract.ts';
import { testNodes } from './node-contract.ts';
import { testResults } from './result-contract.ts';

export interface StoreUnderTest {
  readonly store: Store;
  /** Moves the clock by which records expire. */
  advance(ms: number): void;
  /** The time on that clock. */
  now(): number;
  /** Loses all contents, as after a wipe. */
  lose(): void | Promise<void>;
  /** Loses messages of the bus; absent where that cannot happen. */
  loseMessages?(): void | Promise<void>;
  close?(): void | Promise<void>;
}

const roomy: EventLogLimits = {
  maxStreamChars: 10_000,
  maxSessionChars: 1_000_000,
  maxTotalStoredChars: 9_000_000,
  maxStreams: 4,
};

export function testStore(name: string, start: () => StoreUnderTest | Promise<StoreUnderTest>): void {
  let test: StoreUnderTest;
  let store: Store;
  beforeEach(async () => {
    test = await start();
    store = test.store;
  });
  afterEach(async () => {
    await test.close?.();
  });
  testNodes(name, () => test);
  testResults(name, () => test);
  testApprovals(name, () => test);

  const inAMinute = (): number => test.now() + 60_000;

  describe(`session records, ${name}`, () => {
    it('are read as they were written, and not after they were deleted', async () => {
      await store.sessions.create('a', { head: 'x', 'watch ä 🌍': '' }, inAMinute());
      expect(await store.sessions.read('a')).toEqual({ head: 'x', 'watch ä 🌍': '' });
      expect(await store.sessions.read('b')).toBeUndefined();
      expect(await store.sessions.delete('a')).toBe(true);
      expect(await store.sessions.read('a')).toBeUndefined();
      expect(await store.sessions.delete('a')).toBe(false);
      expect(await store.sessions.update('a', { head: 'y' })).toBe(false);
      expect(await store.sessions.read('a')).toBeUndefined();
    });

    it('are written field by field, so that two writers do not overwrite each other', async () => {
      await store.sessions.create('a', { head: 'x', level: 'info' }, inAMinute());
      await Promise.all([
        store.sessions.update('a', { level: 'debug' }),
        store.sessions.update('a', { ready: '' }),
        store.sessions.update('a', { head: undefined }),
      ]);
      expect(await store.sessions.read('a')).toEqual({ level: 'debug', ready: '' });
    });

    it('do not change when a caller changes the object it passed or got', async () => {
      const given: Record<string, string> = { head: 'x' };
      await store.sessions.create('a', given, inAMinute());
      given.head = 'changed';
      const read = (await store.sessions.read('a')) as Record<string, string>;
      read.head = 'changed';
      expect(await store.sessions.read('a')).toEqual({ head: 'x' });
    });

    it('expire, unless their expiry is extended in time', async () => {
      await store.sessions.create('a', { head: 'a' }, test.now() + 1000);
      await store.sessions.create('b', { head: 'b' }, test.now() + 1000);
      expect(await store.sessions.update('b', {}, test.now() + 5000)).toBe(true);
      test.advance(1000);
      expect(await store.sessions.read('a')).toBeUndefined();
      expect(await store.sessions.read('b')).toEqual({ head: 'b' });
      test.advance(4000);
      store.sessions.deleteExpired();
      expect(await store.sessions.read('b')).toBeUndefined();
      expect(await store.sessions.update('b', { head: 'late' })).toBe(false);
    });

    it('may be stored without an end [S20]', async () => {
      await store.sessions.create('a', { head: 'a' }, Infinity);
      await store.sessions.create('b', { head: 'b' }, test.now() + 1000);
      expect(await store.sessions.update('b', {}, Infinity)).toBe(true);
      test.advance(365 * 24 * 60 * 60_000);
      store.sessions.deleteExpired();
      expect(await store.sessions.read('a')).toEqual({ head: 'a' });
      expect(await store.sessions.read('b')).toEqual({ head: 'b' });
    });

    it('have an epoch that changes when they are lost', async () => {
      const { epoch } = store.sessions;
      expect(epoch).not.toBe('');
      await store.sessions.create('a', { head: 'a' }, inAMinute());
      expect(store.sessions.epoch).toBe(epoch);
      await test.lose();
      expect(store.sessions.epoch).not.toBe(epoch);
      expect(await store.sessions.read('a')).toBeUndefined();
    });
  });

  describe(`event logs, ${name}`, () => {
    const append = (data: string, stream = '1', limits = roomy, session = 'a') =>
      store.events.append(session, stream, data, limits);
    const after = async (n: number, stream = '1', session = 'a') => store.events.readAfter(session, stream, n);

    it('number the events of each stream from 1, and return those after a number', async () => {
      expect([await append('x'), await append('y'), await append('z', '2')]).toEqual([1, 2, 1]);
      expect(await after(0)).toEqual({
        events: [
          { n: 1, data: 'x' },
          { n: 2, data: 'y' },
        ],
        from: 0,
        ended: false,
      });
      expect(await after(1)).toMatchObject({ events: [{ n: 2, data: 'y' }] });
      expect(await after(2)).toEqual({ from: 2, events: [], ended: false });
      expect(await after(0, '2')).toMatchObject({ events: [{ data: 'z' }] });
    });

    it('add an event about a change once, whichever process adds it, and return the number of the last change [S31]', async () => {
      const number = 1_763_000_000_000_007;
      const about = (data: string, change: number) => append(data, '1', { ...roomy, change });
      expect(await about('x', number)).toBe(1);
      expect(await after(0)).toMatchObject({ change: number });
      expect([await about('again', number), await about('older', number - 1)]).toEqual([0, 0]);
      expect([await append('y'), await about('z', number + 1)]).toEqual([2, 3]);
      expect(await after(0)).toMatchObject({
        change: number + 1,
        events: [{ data: 'x' }, { data: 'y' }, { data: 'z' }],
      });
      const many = Array.from({ length: 10 }, (_, n) => about(`many ${n}`, number + 2));
      expect((await Promise.all(many)).filter((n) => n !== 0)).toEqual([4]);
    });

    it('add an event with a number once, and not before the one that it follows [S20]', async () => {
      const { events } = store;
      const at = (n: number, data: string) => events.append('a', '1', data, roomy, undefined, n);
      expect([await at(2, 'y'), await after(0)]).toEqual([0, undefined]);
      expect([await at(1, 'x'), await at(1, 'x'), await at(3, 'z'), await at(2, 'y')]).toEqual([1, 1, 0, 2]);
      const last = { events: ['w'], limits: roomy };
      expect([await events.end('a', '1', last, 4), await events.end('a', 'none', last, 2)]).toEqual([0, 0]);
      expect([await events.end('a', '1', last, 3), await events.end('a', '1', last, 3)]).toEqual([3, undefined]);
      expect(await at(2, 'y')).toBeUndefined();
      const { events: found } = (await after(0)) ?? { events: [] };
      expect(found.map(({ data }) => data)).toEqual(['x', 'y', 'w']);
      expect([await events.end('a', '2', last, 1), await after(0, '2')]).toMatchObject([1, { ended: true }]);
      expect(await after(0, 'none')).toBeUndefined();
    });

    it('return undefined for an unknown number, stream or session', async () => {
      await append('x');
      expect(await after(2)).toBeUndefined();
      expect(await after(0, '2')).toBeUndefined();
      expect(await after(0, '1', 'b')).toBeUndefined();
    });

    it('report that a stream has ended, and still return its events', async () => {
      await append('x');
      await store.events.end('a', '1');
      expect(await after(0)).toEqual({ from: 0, events: [{ n: 1, data: 'x' }], ended: true });
      await store.events.end('a', 'none');
      expect(await after(0, 'none')).toBeUndefined();
    });

    it('apply concurrent operations in the order of the calls', async () => {
      const places = Promise.all(['x', 'y', 'z'].map((data) => append(data)));
      const ended = store.events.end('a', '1');
      expect(await places).toEqual([1, 2, 3]);
      await ended;
      const { events } = (await after(0)) ?? { events: [] };
      expect(events.map(({ data }) => data)).toEqual(['x', 'y', 'z']);
    });

    it('delete the oldest events beyond maxStreamChars, never the last, and return where the stored ones begin', async () => {
      const small: EventLogLimits = {
        maxStreamChars: 300,
        maxSessionChars: 1_000_000,
        maxTotalStoredChars: 9_000_000,
        maxStreams: 4,
      };
      for (let n = 1; n <= 10; n++) await append('x'.repeat(50), '1', small);
      const { from = 0, events = [] } = (await after(0)) ?? {};
      expect(from).toBeGreaterThan(0);
      expect(events.map(({ n }) => n)).toEqual([7, 8, 9, 10].filter((n) => n > from));
      expect(events.at(-1)?.n).toBe(10);
      await append('y'.repeat(1000), '1', small);
      expect(await after(10)).toMatchObject({ from: 10, events: [{ n: 11 }] });
      expect(await after(3)).toMatchObject({ from: 10, events: [{ n: 11 }] });
      for (let n = 0; n < 20; n++) await append('', '1', small);
      expect((await after(11))?.from).toBeGreaterThan(11);
    });

    it('delete the stream that ended first beyond maxStreams, and no open stream', async () => {
      for (const stream of ['1', '2', '3', '4']) await append('x', stream);
      await store.events.end('a', '2');
      await store.events.end('a', '3');
      await append('x', '5');
      await append('x', '6');
      await append('x', '7');
      const known = async (stream: string) => (await after(0, stream)) !== undefined;
      expect(await Promise.all(['1', '2', '3', '4', '5', '6', '7'].map(known))).toEqual([
        true,
        false,
        false,
        true,
        true,
        true,
        true,
      ]);
    });

    it('delete the streams that ended first beyond maxSessionChars, and no open stream', async () => {
      const small: EventLogLimits = {
        maxStreamChars: 10_000,
        maxSessionChars: 1000,
        maxTotalStoredChars: 9_000_000,
        maxStreams: 100,
      };
      const known = async (stream: string, session = 'a') => (await after(0, stream, session)) !== undefined;
      await append('x'.repeat(300), '1', small);
      for (const stream of ['2', '3', '4', '5']) {
        await append('x'.repeat(300), stream, small);
        await store.events.end('a', stream);
      }
      expect(await Promise.all(['1', '2', '3', '4', '5'].map((stream) => known(stream)))).toEqual([
        true,
        false,
        false,
        expect.any(Boolean),
        true,
      ]);
      await append('x'.repeat(300), '1', small, 'b');
      expect(await known('1', 'b')).toBe(true);
    });

    it('do not store an event longer than maxSessionChars, delete nothing for it, and skip its number', async () => {
      const small: EventLogLimits = {
        maxStreamChars: 300,
        maxSessionChars: 1000,
        maxTotalStoredChars: 9_000_000,
        maxStreams: 100,
      };
      await append('x', '1', small);
      await store.events.end('a', '1');
      expect([await append('x', '2', small), await append('y'.repeat(5000), '2', small)]).toEqual([1, 2]);
      await store.events.end('a', '2');
      for (const n of [0, 1, 2]) expect(await after(n, '2')).toEqual({ from: 2, events: [], ended: true });
      expect(await after(0)).toMatchObject({ events: [{ data: 'x' }] });
    });

    it('store an event longer than maxStreamChars only if the session has room for it', async () => {
      const small: EventLogLimits = {
        maxStreamChars: 300,
        maxSessionChars: 1000,
        maxTotalStoredChars: 9_000_000,
        maxStreams: 100,
      };
      const isStored = async (stream: string) => (await after(0, stream))?.from === 0;
      const streams = ['1', '2', '3'];
      for (const stream of streams) await append('x'.repeat(500), stream, small);
      expect(await Promise.all(streams.map(isStored))).toEqual([true, false, false]);
    });

    const awaited: EventLogLimits = {
      maxStreamChars: 300,
      maxSessionChars: 1000,
      maxTotalStoredChars: 9_000_000,
      maxStreams: 100,
      isAwaited: true,
    };

    it('store an awaited event that is too large, and those before it, until it is read after the end of its stream', async () => {
      const small: EventLogLimits = { ...awaited, isAwaited: false };
      const large = 'y'.repeat(5000);
      await append('x', '1', small);
      await store.events.end('a', '1');
      await append('x', '2', small);
      await append(large, '2', awaited);
      const events = [
        { n: 1, data: 'x' },
        { n: 2, data: large },
      ];
      expect(await after(0, '2')).toEqual({ from: 0, events, ended: false });
      await append('x', '3', small);
      await store.events.end('a', '2');
      expect(await after(0, '2')).toEqual({ from: 0, events, ended: true });
      expect(await after(0, '2')).toEqual({ from: 2, events: [], ended: true });
      expect(await after(0)).toMatchObject({ from: 0, events: [{ data: 'x' }] });
    });

    it('store an awaited event that has no room beside others', async () => {
      for (const stream of ['1', '2', '3']) await append('x'.repeat(500), stream, awaited);
      expect(await after(0, '3')).toMatchObject({ from: 0, events: [{ n: 1 }] });
    });

    it('store one awaited event of each stream, 16 of a session, until the next event of the stream or for a few seconds [S31]', async () => {
      const large = 'y'.repeat(5000);
      const streams = Array.from({ length: 17 }, (_, n) => String(n + 1));
      for (const stream of streams) {
        await append(large, stream, awaited);
        await store.events.end('a', stream);
      }
      expect(await after(0)).toEqual({ from: 1, events: [], ended: true });
      for (const stream of streams.slice(1))
        expect(await after(0, stream)).toEqual({ from: 0, events: [{ n: 1, data: large }], ended: true });
      await store.events.deleteSession('a');
      await append(large, '3', awaited);
      await append('x', '3', awaited);
      expect(await after(0, '3')).toEqual({ from: 1, events: [{ n: 2, data: 'x' }], ended: false });
      await append(large, '4', awaited);
      test.advance(5000);
      store.sessions.deleteExpired();
      expect(await after(0, '4')).toMatchObject({ from: 0, events: [{ data: large }] });
      test.advance(60_000);
      store.sessions.deleteExpired();
      expect(await after(0, '4')).toEqual({ from: 1, events: [], ended: false });
    });

    it('spare what a reader elsewhere was not given, up to twice the size of the session [S31]', async () => {
      const limits: EventLogLimits = { ...awaited, maxStreamChars: 1000 };
      const numbers = async (stream: string, n: number): Promise<number[]> =>
        ((await after(n, stream)) ?? { events: [] }).events.map((event) => event.n);
      for (let n = 0; n < 5; n++) for (const stream of ['1', '2']) await append('x'.repeat(120), stream, limits);
      expect([await numbers('1', 0), await numbers('2', 0)]).toEqual([
        [1, 2, 3, 4, 5],
        [1, 2, 3, 4, 5],
      ]);
      expect([await numbers('1', 5), await numbers('2', 5)]).toEqual([[], []]);
      // What was given makes room.
      await append('x'.repeat(120), '1', limits);
      expect((await after(0))?.from).toBeGreaterThan(0);
      expect(await numbers('1', 5)).toEqual([6]);
      for (let n = 0; n < 30; n++) await append('x'.repeat(120), '1', limits);
      expect((await after(5))?.from).toBeGreaterThan(5);
      expect((await after(5))?.events.at(-1)?.n).toBe(36);
    });

    it('are deleted with their session: when its events or its record are deleted, when it expires, when the store loses it', async () => {
      const { sessions } = store;
      for (const key of ['dropped', 'deleted', 'expired', 'lost', 'open']) {
        await sessions.create(key, { head: '' }, test.now() + (key === 'expired' ? 1000 : 60_000));
        await append('x', '1', roomy, key);
      }
      await store.events.deleteSession('dropped');
      await sessions.delete('deleted');
      test.advance(1000);
      sessions.deleteExpired();
      for (const key of ['dropped', 'deleted', 'expired']) expect(await after(0, '1', key)).toBeUndefined();
      expect(await after(0, '1', 'open')).toBeDefined();
      await test.lose();
      expect(await after(0, '1', 'lost')).toBeUndefined();
    });

    it('neither lose nor repeat an event, wherever a reader stopped', async () => {
      const texts = fc.array(fc.string({ maxLength: 20 }), { minLength: 1, maxLength: 12 });
      let round = 0;
      await fc.assert(
        fc.asyncProperty(texts, fc.nat(), async (all, at) => {
          const stream = `s${round++}`;
          const last = at % (all.length + 1);
          for (const data of all)
            await append(data, stream, {
              maxStreamChars: 100_000,
              maxSessionChars: 1_000_000,
              maxTotalStoredChars: 9_000_000,
              maxStreams: 1000,
            });
          const { events } = (await after(last, stream)) ?? { events: [] };
          expect([...all.slice(0, last), ...events.map(({ data }) => data)]).toEqual(all);
        }),
        { seed: 7, numRuns: 50 },
      );
    });
  });

  describe(`the bus, ${name}`, () => {
    it('delivers to all subscribers of a topic, in order, and to no others', async () => {
      const received: string[] = [];
      const { bus } = store;
      const notified = deferred();
      await bus.subscribe('a', (message) => {
        received.push(`first ${message}`);
      });
      await bus.subscribe('a', (message) => {
        received.push(`second ${message}`);
        if (message === '2') notified.resolve();
      });
      await bus.subscribe('b', (message) => received.push(`other ${message}`));
      await bus.publish('a', '1');
      await bus.publish('a', '2');
      await withTimeout(notified.promise, 'both messages');
      expect(received.filter((one) => one.startsWith('first'))).toEqual(['first 1', 'first 2']);
      expect(received.filter((one) => one.startsWith('second'))).toEqual(['second 1', 'second 2']);
      expect(received).toHaveLength(4);
    });

    it('delivers nothing before publish() returns, and nothing after a subscription was stopped', async () => {
      const received: string[] = [];
      const stop = await store.bus.subscribe('a', (message) => received.push(message));
      const published = store.bus.publish('a', '1');
      expect(received).toEqual([]);
      await published;
      stop();
      await store.bus.publish('a', '2');
      const last = deferred();
      await store.bus.subscribe('a', () => last.resolve());
      await store.bus.publish('a', '3');
      await withTimeout(last.promise, 'a message to another subscriber');
      expect(received).not.toContain('2');
      expect(received).not.toContain('3');
    });
  });

  describe(`the bus, ${name}, when messages were lost`, () => {
    it('calls onMissed of every subscriber, and delivers what is published after that [S31]', async (context) => {
      if (test.loseMessages === undefined) return context.skip('messages of this store cannot be lost');
      const received: string[] = [];
      const missed = { a: deferred(), b: deferred() };
      for (const topic of ['a', 'b'] as const)
        await store.bus.subscribe(
          topic,
          (message) => received.push(message),
          () => {
            received.push(`missed ${topic}`);
            missed[topic].resolve();
          },
        );
      const all = Promise.all([missed.a.promise, missed.b.promise]);
      const first = deferred();
      await store.bus.subscribe('a', () => first.resolve());
      await store.bus.publish('a', '1');
      await withTimeout(first.promise, 'a message');
      await test.loseMessages();
      await withTimeout(all, 'onMissed of both');
      await store.bus.publish('b', '2');
      const last = new Promise<void>((resolve) => {
        void store.bus.subscribe('b', (message) => void (message === '3' && resolve()));
      });
      await store.bus.publish('b', '3');
      await withTimeout(last, 'a later message');
      expect(received).toEqual(['1', 'missed a', 'missed b', '2', '3']);
    });

    it('does not call onMissed where none was lost, nor after a subscription was stopped [S31]', async () => {
      const missed: string[] = [];
      const stop = await store.bus.subscribe(
        'a',
        () => undefined,
        () => missed.push('stopped'),
      );
      await store.bus.subscribe(
        'b',
        () => undefined,
        () => missed.push('subscribed'),
      );
      for (let n = 0; n < 5; n++) await store.bus.publish('b', 'x');
      const last = new Promise<void>((resolve) => void store.bus.subscribe('b', () => resolve()));
      await store.bus.publish('b', 'last');
      await withTimeout(last, 'the last message');
      expect(missed).toEqual([]);
      if (test.loseMessages === undefined) return;
      stop();
      const again = new Promise<void>(
        (resolve) =>
          void store.bus.subscribe(
            'c',
            () => undefined,
            () => resolve(),
          ),
      );
      await store.bus.publish('c', '');
      await test.loseMessages();
      await withTimeout(again, 'onMissed');
      expect(missed).toEqual(['subscribed']);
    });
  });

  describe(`keys that may be used once, ${name}`, () => {
    const burn = async (key: string, expiresAt = inAMinute(), owner?: string) =>
      store.once?.burn(key, expiresAt, owner);

    it('are used by one of many at the same moment, and again only after they have expired', async () => {
      const results = await Promise.all(Array.from({ length: 20 }, () => burn('a')));
      expect(results.filter(Boolean)).toEqual([true]);
      expect(await burn('b')).toBe(true);
      test.advance(59_000);
      expect(await burn('a')).toBe(false);
      test.advance(60_000);
      expect(await burn('a')).toBe(true);
    });

    it('are the same key whatever owner and expiry they are used with', async () => {
      expect(await burn('a', inAMinute(), 'ada')).toBe(true);
      expect(await burn('a', inAMinute() + 1000, 'eve')).toBe(false);
    });
  });
}
