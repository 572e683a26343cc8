import { beforeEach, describe, expect, it } from 'vitest';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import { createDeadlines } from '../../../lib/time/deadlines.ts';
import { createFakeClock, type FakeClock } from '../../../lib/time/fake-clock.ts';
import type { MaybePromise } from '../../../lib/values/maybe-promise.ts';
import type { Done } from '../../../protocol/neutral.ts';
import { memoryOnce } from '../../../store/memory.ts';
import type { OnceStore } from '../../../store/once-store.ts';
import type { Store } from '../../../store/store.ts';
import { leaseMs } from './held-leases.ts';
import { readOutcome } from './outcome-text.ts';
import { type EarlierRun, type SingleRun, SingleRuns } from './single-runs.ts';

const done = (text: string): Done => ({ resultType: 'complete', result: { text } });
const ttlMs = 3_600_000;

let clock: FakeClock;
let once: OnceStore;
beforeEach(() => {
  clock = createFakeClock();
  once = memoryOnce({}, clock.now);
});

/** A store that answers with promises, and fails on demand: before an operation is carried out, or after it. */
function remote() {
  let fault: 'before' | 'after' | undefined;
  const through =
    <A extends readonly unknown[], T>(operation: (...given: A) => MaybePromise<T>) =>
    async (...given: A): Promise<T> => {
      if (fault === 'before') throw new TenonError('store-failed', 'There is no connection.');
      const value = operation(...given);
      if (fault === 'after') throw new TenonError('store-timeout', 'No answer.');
      return value;
    };
  const store: OnceStore = {
    burn: through(once.burn),
    begin: through(once.begin),
    end: through(once.end),
    release: through(once.release),
    renew: through(once.renew),
  };
  return { store, fail: (moment?: 'before' | 'after') => void (fault = moment) };
}

/** A process of a server. */
function node(store: OnceStore) {
  const errors: unknown[] = [];
  const ports = {
    store: { current: { once: store } as Store },
    deadlines: createDeadlines(clock),
    failed: (error: unknown) => void errors.push(error),
  };
  const runs = new SingleRuns({ ttlMs, maxKeys: 100, maxChars: 1000 }, ports);
  const request = (key = 'k', digest = 'd') => {
    const seen: { run?: SingleRun; earlier?: EarlierRun; isAbandoned: boolean } = { isAbandoned: false };
    runs.serve({
      owner: 'ada',
      share: 'principal ada',
      key,
      digest,
      get isAbandoned() {
        return seen.isAbandoned;
      },
      begin: (run) => void (seen.run = run),
      repeat: (earlier) => void (seen.earlier = earlier),
    });
    return seen;
  };
  return { request, errors };
}

/** Lets promises settle, then time pass in small parts, as it does. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    await settled();
    clock.advance(Math.min(left, 500));
  }
  await settled();
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const outcomeIn = (earlier: EarlierRun | undefined) =>
  earlier?.kind === 'ended' && earlier.text !== undefined ? readOutcome(earlier.text) : earlier;

describe.each(['at once', 'by promises'])('Nodes with a store that answers %s', (way) => {
  const connect = () => {
    const { store, fail } = remote();
    return way === 'at once' ? { store: once, fail } : { store, fail };
  };

  it('run a call at one of them, however long it takes, and the other returns its outcome [S20]', async () => {
    const [a, b] = [node(connect().store), node(connect().store)];
    const first = a.request();
    await settled();
    const [waiting, here] = [b.request(), a.request()];
    await pass(10 * leaseMs);
    expect([waiting.run, waiting.earlier, here.earlier]).toEqual([undefined, undefined, undefined]);
    first.run?.finish(done('paid'));
    expect(outcomeIn(here.earlier)).toEqual(done('paid'));
    await pass(1000);
    expect(outcomeIn(waiting.earlier)).toEqual(done('paid'));
    const later = b.request();
    await settled();
    expect(outcomeIn(later.earlier)).toEqual(done('paid'));
    expect(clock.pending).toBe(0);
  });

  it('refuse the same key for something else, wherever it is used', async () => {
    const [a, b] = [node(connect().store), node(connect().store)];
    a.request();
    await settled();
    const others = [a.request('k', 'other'), b.request('k', 'other')];
    await settled();
    expect(others.map(({ earlier }) => earlier)).toEqual([{ kind: 'other' }, { kind: 'other' }]);
  });

  it('return the outcome to a repeat that arrives together with the same key for something else [S20]', async () => {
    const [a, b] = [node(connect().store), node(connect().store)];
    const first = a.request();
    await settled();
    const [other, another, repeat] = [b.request('k', 'other'), b.request('k', 'another'), b.request()];
    await settled();
    expect([other.earlier, another.earlier]).toEqual([{ kind: 'other' }, { kind: 'other' }]);
    first.run?.finish(done('paid'));
    await pass(1000);
    expect(outcomeIn(repeat.earlier)).toEqual(done('paid'));
  });

  it('let one of those that wait run after a release, and no other', async () => {
    const [a, b] = [node(connect().store), node(connect().store)];
    const first = a.request();
    await settled();
    const waiting = [b.request(), b.request()];
    await pass(50);
    await first.run?.release();
    await pass(1000);
    expect(waiting.map(({ run }) => run !== undefined)).toEqual([true, false]);
    waiting[0]?.run?.finish(done('second'));
    await pass(1000);
    expect(outcomeIn(waiting[1]?.earlier)).toEqual(done('second'));
  });

  it('stop looking when no caller waits any more, and run for none that has gone', async () => {
    const [a, b] = [node(connect().store), node(connect().store)];
    const first = a.request();
    await settled();
    const waiting = b.request();
    await pass(50);
    waiting.isAbandoned = true;
    await pass(1000);
    await first.run?.release();
    await pass(1000);
    expect([waiting.run, waiting.earlier]).toEqual([undefined, { kind: 'abandoned' }]);
    expect(clock.pending).toBe(0);
  });
});

describe('A run whose node has stopped', () => {
  it('is unknown to all others until it is forgotten, and does not run again [S31]', async () => {
    const dead = { ...once, renew: () => false };
    const [a, b] = [node(dead), node(once)];
    a.request();
    const waiting = b.request();
    await pass(leaseMs - 1);
    expect(waiting.earlier).toBeUndefined();
    await pass(1000);
    expect(waiting.earlier).toEqual({ kind: 'unknown' });
    await pass(1000);
    expect(b.request().earlier).toEqual({ kind: 'unknown' });
    clock.advance(ttlMs);
    expect(b.request().run).toBeDefined();
  });

  it('has its outcome all the same when the node was only cut off, and reports it late', async () => {
    const cut = remote();
    const [a, b] = [node(cut.store), node(once)];
    const first = a.request();
    await settled();
    cut.fail('before');
    await pass(2 * leaseMs);
    expect(b.request().earlier).toEqual({ kind: 'unknown' });
    first.run?.finish(done('paid'));
    await pass(2000);
    expect(b.request().earlier).toEqual({ kind: 'unknown' });
    expect(outcomeIn(a.request().earlier)).toEqual(done('paid'));
    cut.fail();
    await pass(1000);
    expect(outcomeIn(b.request().earlier)).toEqual(done('paid'));
    expect(a.errors).toMatchObject([{ code: 'store-failed' }]);
  });
});

describe('A store that fails', () => {
  it.each(['before', 'after'] as const)(
    '%s it has begun a call lets none run, and the key is free when it is back',
    async (moment) => {
      const cut = remote();
      const [a, b] = [node(cut.store), node(once)];
      cut.fail(moment);
      const [refused, other] = [a.request(), a.request('k', 'other')];
      await settled();
      const unavailable = { kind: 'unavailable', cause: { code: expect.stringMatching(/^store-/) } };
      expect([refused.earlier, other.earlier]).toMatchObject([unavailable, unavailable]);
      const again = a.request();
      expect([again.run, again.earlier?.kind]).toEqual([undefined, 'unavailable']);
      cut.fail();
      await pass(1000);
      expect(b.request().run).toBeDefined();
    },
  );

  it('when a run is released makes the next request wait for it, and then lets it run', async () => {
    const cut = remote();
    const [a, b] = [node(cut.store), node(once)];
    const first = a.request();
    await settled();
    cut.fail('before');
    await first.run?.release();
    expect(a.request().earlier).toMatchObject({ kind: 'unavailable' });
    const waiting = b.request();
    cut.fail();
    await pass(2000);
    expect(waiting.run).toBeDefined();
  });

  it('for two minutes loses the outcome, and reports it', async () => {
    const cut = remote();
    const a = node(cut.store);
    const first = a.request();
    await settled();
    cut.fail('before');
    first.run?.finish(done('paid'));
    await pass(130_000);
    expect(a.errors).toMatchObject([
      { code: 'store-failed' },
      { code: 'store-failed', message: expect.stringContaining('could not be stored') },
    ]);
    cut.fail();
    const later = a.request();
    await settled();
    expect(later.earlier).toEqual({ kind: 'unknown' });
    expect(clock.pending).toBe(0);
  });
});
