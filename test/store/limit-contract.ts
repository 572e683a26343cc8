/** The contract of every store of limits. The test of a driver passes its store to `testLimitStore`. */
import * as fc from 'fast-check';
import type { Lease, LimitStore, TokenClaim } from 'tenon/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

export interface LimitStoreUnderTest {
  readonly store: LimitStore;
  /** Moves the store's clock, also back. */
  advance(ms: number): void;
  close?(): void | Promise<void>;
}

const perMinute = (tokens: number, burst = tokens) => ({ tokens, perMs: 60_000, burst });
const claim = (key: string, cost: number, bucket = perMinute(60, 10)): TokenClaim => ({ key, cost, bucket });
/** Long, since Redis also drops what expires by its own clock. */
const leaseMs = 600_000;
const lease = (id: string, ...keys: string[]): Lease => ({ id, slots: keys.map((key) => ({ key, max: 2 })) });

export function testLimitStore(name: string, start: () => LimitStoreUnderTest | Promise<LimitStoreUnderTest>): void {
  let test: LimitStoreUnderTest;
  let store: LimitStore;
  beforeEach(async () => {
    test = await start();
    store = test.store;
  });
  afterEach(async () => {
    await test.close?.();
  });
  const allowed = async (...given: Parameters<LimitStore['take']>) => (await store.take(...given)).allowed;

  describe(`token buckets, ${name}`, () => {
    it('are full at first, then fill evenly up to their burst', async () => {
      for (let at = 0; at < 10; at++) expect(await allowed([claim('a', 1)])).toBe(true);
      expect(await store.take([claim('a', 1)])).toEqual({ allowed: false, key: 'a', retryAfterMs: 1000 });
      test.advance(2500);
      expect([await allowed([claim('a', 2)]), await allowed([claim('a', 1)])]).toEqual([true, false]);
      test.advance(3_600_000);
      expect([await allowed([claim('a', 10)]), await allowed([claim('a', 1)])]).toEqual([true, false]);
    });

    it('allow after retryAfterMs what they refused, and a refusal takes nothing', async () => {
      await store.take([claim('a', 8)]);
      const refused = await store.take([claim('a', 5)]);
      expect(refused).toEqual({ allowed: false, key: 'a', retryAfterMs: 3000 });
      test.advance(2999);
      expect(await allowed([claim('a', 5)])).toBe(false);
      test.advance(1);
      expect(await allowed([claim('a', 5)])).toBe(true);
    });

    it('are taken from all together or not at all, and the answer names the one that takes longest', async () => {
      await store.take([claim('a', 10), claim('b', 5)]);
      expect(await store.take([claim('a', 1), claim('b', 10), claim('c', 10)])).toEqual({
        allowed: false,
        key: 'b',
        retryAfterMs: 5000,
      });
      expect([await allowed([claim('b', 5)]), await allowed([claim('c', 10)])]).toEqual([true, true]);
    });

    it('never give takers at the same moment more than there is', async () => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => store.take([claim('a', 1)])));
      expect(answers.filter((answer) => answer.allowed)).toHaveLength(10);
    });

    it('are empty at worst after the clock was set back, and fill from then on', async () => {
      test.advance(3_600_000);
      await store.take([claim('a', 10)]);
      test.advance(-3_000_000);
      expect(await store.take([claim('a', 1)])).toMatchObject({ allowed: false, retryAfterMs: 1000 });
      test.advance(1000);
      expect(await allowed([claim('a', 1)])).toBe(true);
    });

    it('that are lowered hold no more than the new burst', async () => {
      await store.take([claim('a', 1000, perMinute(1000))]);
      expect(await store.take([claim('a', 1, perMinute(60, 2))])).toMatchObject({ retryAfterMs: 1000 });
    });

    it('never allow more than burst and rate together, whatever is asked for and when', async () => {
      const events = fc.array(fc.tuple(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 0, max: 5000 })), {
        maxLength: 30,
      });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(events, async (given) => {
          const key = `run ${run++}`;
          let [taken, passed] = [0, 0];
          for (const [cost, ms] of given) {
            if (await allowed([claim(key, cost)])) taken += cost;
            expect(taken).toBeLessThanOrEqual(10 + passed / 1000 + 1e-6);
            test.advance(ms);
            passed += ms;
          }
        }),
        { seed: 19, numRuns: 50 },
      );
    });
  });

  describe(`leases, ${name}`, () => {
    it('hold their slots until they are released, and a second release does nothing', async () => {
      expect(await allowed([], lease('1', 'a'), leaseMs)).toBe(true);
      expect(await allowed([], lease('2', 'a', 'b'), leaseMs)).toBe(true);
      expect(await store.take([], lease('3', 'b', 'a'), leaseMs)).toEqual({
        allowed: false,
        key: 'a',
        retryAfterMs: 0,
      });
      expect(await allowed([], lease('4', 'b'), leaseMs)).toBe(true);
      await store.release(lease('1', 'a'));
      await store.release(lease('1', 'a'));
      expect([await allowed([], lease('5', 'a'), leaseMs), await allowed([], lease('6', 'a'), leaseMs)]).toEqual([
        true,
        false,
      ]);
    });

    it('expire unless they are renewed, and one that expired can be renewed', async () => {
      await store.take([], lease('1', 'a'), leaseMs);
      await store.take([], lease('2', 'a'), leaseMs);
      test.advance(leaseMs * 0.9);
      await store.renew([lease('1', 'a')], leaseMs);
      test.advance(leaseMs * 0.2);
      expect(await allowed([], lease('3', 'a'), leaseMs)).toBe(true);
      await store.renew([lease('2', 'a')], leaseMs);
      await store.release(lease('1', 'a'));
      expect(await allowed([], lease('4', 'a'), leaseMs)).toBe(false);
    });

    it('and tokens are taken together or not at all', async () => {
      await store.take([], lease('1', 'a'), leaseMs);
      await store.take([], lease('2', 'a'), leaseMs);
      expect(await allowed([claim('a', 10)], lease('3', 'a'), leaseMs)).toBe(false);
      expect(await allowed([claim('a', 10)], lease('4', 'b'), leaseMs)).toBe(true);
      expect(await allowed([claim('a', 1)], lease('5', 'c'), leaseMs)).toBe(false);
      const next = [lease('6', 'c'), lease('7', 'c')].map((one) => allowed([], one, leaseMs));
      expect(await Promise.all(next)).toEqual([true, true]);
    });
  });
}
