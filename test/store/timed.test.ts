/** Every operation of a store is bounded in time: `timed()`. */
import { createMemoryStore, type Store } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { createDeadlines } from '../../src/lib/time/deadlines.ts';
import { createFakeClock } from '../../src/lib/time/fake-clock.ts';
import { timed } from '../../src/store/timed.ts';
import { asyncStore } from '../kit/async-store.ts';
import { deferred } from '../kit/deferred.ts';

const limits = { maxStreamChars: 1000, maxSessionChars: 4000, maxTotalStoredChars: 8000, maxStreams: 8 };
const never = new Promise<never>(() => {});

/** A store whose operations return what the test gives. */
const answering = (answer: () => unknown): Store => {
  const { sessions, events, bus, once } = createMemoryStore();
  const part = <T extends object>(real: T): T =>
    Object.fromEntries(Object.keys(real).map((key) => [key, key === 'epoch' ? 'one' : answer])) as T;
  return { sessions: part(sessions), events: part(events), bus: part(bus), once: part(once) };
};

function bounded(store: Store) {
  const clock = createFakeClock();
  return { clock, ...timed(store, 2000, createDeadlines(clock)) };
}

describe('[S20] a bounded store', () => {
  it('fails every operation that is not answered in time with store-timeout and its name', async () => {
    const { store, clock } = bounded(answering(() => never));
    const operations: Record<string, () => unknown> = {
      'sessions.create()': () => store.sessions.create('a', {}, 1),
      'sessions.read()': () => store.sessions.read('a'),
      'sessions.update()': () => store.sessions.update('a', {}),
      'sessions.delete()': () => store.sessions.delete('a'),
      'events.append()': () => store.events.append('a', 's', 'x', limits),
      'events.readAfter()': () => store.events.readAfter('a', 's', 0),
      'events.end()': () => store.events.end('a', 's'),
      'events.deleteSession()': () => store.events.deleteSession('a'),
      'bus.publish()': () => store.bus.publish('t', 'm'),
      'bus.subscribe()': () => store.bus.subscribe('t', () => {}),
      'once.burn()': () => store.once?.burn('k', 1),
    };
    for (const [name, run] of Object.entries(operations)) {
      const failed = Promise.resolve(run()).catch((error: unknown) => error);
      clock.advance(2000);
      expect(await failed).toMatchObject({
        code: 'store-timeout',
        message: expect.stringContaining(`${name} in 2000 ms`),
        hint: expect.stringContaining('timeouts.storeMs'),
        details: { operation: name },
      });
    }
  });

  it('returns what is there at once without a promise, and throws what is thrown', () => {
    const { store, clock } = bounded(createMemoryStore());
    expect(store.sessions.create('a', { x: '1' }, Date.now() + 60_000)).toBeUndefined();
    expect(store.sessions.read('a')).toEqual({ x: '1' });
    expect(store.events.append('a', 's', 'x', limits)).toBe(1);
    expect(clock.pending).toBe(0);
    const broken = bounded(
      answering(() => {
        throw new Error('broken');
      }),
    );
    expect(() => broken.store.sessions.read('a')).toThrow('broken');
  });

  it('reads an accessor when it is used, and bounds the part that it returns', async () => {
    const { sessions, ...rest } = answering(() => never);
    let reads = 0;
    const lazy: Store = {
      ...rest,
      get sessions() {
        reads++;
        return sessions;
      },
    };
    const { store, clock } = bounded(lazy);
    expect(reads).toBe(0);
    const failed = Promise.resolve(store.sessions.read('a')).catch((error: unknown) => error);
    clock.advance(2000);
    expect(await failed).toMatchObject({ code: 'store-timeout' });
    expect(store.sessions).toBe(store.sessions);
    const made: string[] = [];
    const epoch = { get: () => made[made.push('two') - 1] ?? '', enumerable: true };
    const late = bounded({ ...rest, sessions: Object.defineProperty({ ...sessions }, 'epoch', epoch) });
    expect(made).toEqual([]);
    expect(late.store.sessions.epoch).toBe('two');
  });

  it('passes answers in time on, and leaves no timer', async () => {
    const { store, clock } = bounded(asyncStore());
    await store.sessions.create('a', { x: '1' }, Date.now() + 60_000);
    expect(await store.sessions.read('a')).toEqual({ x: '1' });
    await expect(bounded(answering(() => Promise.reject(new Error('lost')))).store.sessions.read('a')).rejects.toThrow(
      'lost',
    );
    clock.advance(2000);
    expect(clock.pending).toBe(0);
  });

  it('reads what changes each time, from a store of classes too', () => {
    class Sessions {
      #epoch = 1;
      get epoch(): string {
        return String(this.#epoch);
      }
      deleteExpired(): void {
        this.#epoch++;
      }
    }
    const memory = createMemoryStore();
    const own = new Sessions() as unknown as Store['sessions'];
    const { store } = bounded({ ...memory, sessions: own });
    expect(store.sessions.epoch).toBe('1');
    store.sessions.deleteExpired();
    expect(store.sessions.epoch).toBe('2');
    expect(store.durability).toBe('memory');
  });

  it('ends a subscription that comes too late', async () => {
    const { promise, resolve } = deferred<unknown>();
    const { store, clock } = bounded(answering(() => promise));
    const failed = Promise.resolve(store.bus.subscribe('t', () => {})).catch((error: unknown) => error);
    clock.advance(2000);
    expect(await failed).toMatchObject({ code: 'store-timeout' });
    let isStopped = false;
    resolve(() => void (isStopped = true));
    await promise;
    expect(isStopped).toBe(true);
  });

  it('is idle when the last operation is answered, at the latest after the time limit', async () => {
    const { promise, resolve } = deferred<unknown>();
    const { store, clock, idle } = bounded(answering(() => promise));
    const order: string[] = [];
    const read = Promise.resolve(store.sessions.read('a')).then(() => order.push('read'));
    const whenIdle = idle().then(() => order.push('idle'));
    clock.advance(1);
    resolve(undefined);
    await read;
    clock.advance(1);
    await whenIdle;
    expect(order).toEqual(['read', 'idle']);
    const busy = bounded(answering(() => never));
    const late = busy.idle();
    const failed = Promise.resolve(busy.store.sessions.read('a')).catch(() => undefined);
    busy.clock.advance(1999);
    const second = Promise.resolve(busy.store.sessions.read('a')).catch(() => undefined);
    busy.clock.advance(1);
    await late;
    busy.clock.advance(2000);
    expect(await Promise.all([failed, second])).toEqual([undefined, undefined]);
  });
});
