/** Limits in memory: the contract, and what happens when there is no room. */
import type { LimitAnswer, TokenClaim } from 'tenon/store';
import { describe, expect, it } from 'vitest';
import { type MemoryLimitsOptions, memoryLimits } from '../../src/store/memory.ts';
import { testLimitStore } from './limit-contract.ts';

function start(options: MemoryLimitsOptions = {}) {
  let moment = 1_000_000;
  const store = memoryLimits({ now: () => moment, ...options });
  return {
    store,
    /** A store in memory answers at once. */
    take: (...given: Parameters<typeof store.take>) => store.take(...given) as LimitAnswer,
    advance: (ms: number) => void (moment += ms),
  };
}

testLimitStore('in memory', () => start());

const claim = (key: string, cost = 1): TokenClaim => ({ key, cost, bucket: { tokens: 1, perMs: 1000, burst: 1 } });

describe('a flood of keys', () => {
  it('shares buckets when there is no room, and forgives no key that was limited before', () => {
    const { take: takeNow, advance } = start({ maxKeys: 2000 });
    expect(takeNow([claim('victim')]).allowed).toBe(true);
    let allowed = 0;
    for (let at = 0; at < 100_000; at++) if (takeNow([claim(`flood ${at}`)]).allowed) allowed++;
    // One for each key with room, and one for each shared bucket.
    expect(allowed).toBeLessThanOrEqual(2000 + 1024);
    expect(takeNow([claim('victim')])).toMatchObject({ allowed: false, retryAfterMs: 1000 });
    advance(1000);
    expect(takeNow([claim('victim')]).allowed).toBe(true);
  });

  it('gives a key that shared a bucket none of its own before the shared one is full', () => {
    const { take: takeNow, advance } = start({ maxKeys: 1 });
    const slow: TokenClaim = { key: 'slow', cost: 1, bucket: { tokens: 1, perMs: 60_000, burst: 1 } };
    takeNow([claim('first')]);
    expect([takeNow([slow]).allowed, takeNow([slow]).allowed]).toEqual([true, false]);
    advance(5000);
    expect(takeNow([slow])).toMatchObject({ allowed: false, retryAfterMs: 55_000 });
    advance(55_000);
    expect([takeNow([slow]).allowed, takeNow([slow]).allowed]).toEqual([true, false]);
  });

  it('of keys that are limited for a day refuses none that are limited for a minute [S24]', () => {
    const { take: takeNow, advance } = start({ maxKeys: 1000 });
    const daily = (at: number): TokenClaim => ({
      key: `daily ${at}`,
      cost: 1,
      bucket: { tokens: 1, perMs: 86_400_000, burst: 1 },
    });
    const refused = (from: number): number =>
      Array.from({ length: 100 }, (_, at) => takeNow([claim(`new ${from + at}`)])).filter(({ allowed }) => !allowed)
        .length;
    // All shared buckets of a day are empty.
    for (let at = 0; at < 30_000; at++) takeNow([daily(at)]);
    // A few of the new keys have a shared bucket together.
    expect(refused(0)).toBeLessThan(25);
    advance(3_600_000);
    expect(refused(100)).toBeLessThan(25);
    expect(takeNow([daily(30_000)]).allowed).toBe(false);
  });

  it('of keys that are limited for a day leave room for those of a minute, for which a flood of others then makes no difference', () => {
    const { take: takeNow } = start({ maxKeys: 1000 });
    const perDay = { tokens: 1, perMs: 86_400_000, burst: 1 };
    for (let at = 0; at < 30_000; at++) takeNow([{ key: `daily ${at}`, cost: 1, bucket: perDay }]);
    // Fewer than the other half: each has a bucket of its own, however often the others call.
    for (let at = 0; at < 300; at++) for (let call = 0; call < 100; call++) takeNow([claim(`flooding ${at}`)]);
    for (let at = 0; at < 150; at++) expect(takeNow([claim(`calm ${at}`)]).allowed).toBe(true);
  });

  it('of long keys is bounded by maxKeyChars', () => {
    const { take: takeNow } = start({ maxKeyChars: 1000 });
    const long = (at: number) => claim(`${at} ${'x'.repeat(500)}`);
    let allowed = 0;
    for (let at = 0; at < 10_000; at++) if (takeNow([long(at)]).allowed) allowed++;
    expect(allowed).toBeLessThanOrEqual(1 + 1024);
  });

  it('of leases is refused beyond maxKeys until some are released or expire', () => {
    const { store, take: takeNow, advance } = start({ maxKeys: 3 });
    const lease = (id: string) => ({ id, slots: [{ key: id, max: 1 }] });
    const take = (id: string) => takeNow([], lease(id), 5000).allowed;
    expect(['a', 'b', 'c', 'd'].map(take)).toEqual([true, true, true, false]);
    store.release(lease('a'));
    expect(['d', 'e'].map(take)).toEqual([true, false]);
    advance(5000);
    expect(take('e')).toBe(true);
  });
});
