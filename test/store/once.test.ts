/** What may happen once, in memory: bounded in all and for each owner, and no live key is dropped for room. */

import { describe, expect, it } from 'vitest';
import { memoryOnce } from '../../src/store/memory.ts';
import type { OnceLimits } from '../../src/store/parts/once.ts';
import { onceLimits, testOnceStore } from './once-contract.ts';

testOnceStore('in memory', () => {
  let moment = 1_000_000;
  const store = memoryOnce(onceLimits, () => moment);
  return { stores: [store, store], hasTotals: true, advance: (ms) => void (moment += ms) };
});

function start(limits: Partial<OnceLimits> = {}) {
  let moment = 1_000_000;
  const once = memoryOnce(limits, () => moment);
  return {
    burn: (key: string, owner?: string, ttlMs = 60_000) => once.burn(key, moment + ttlMs, owner),
    advance: (ms: number) => void (moment += ms),
  };
}

const refused = (limit: string) => expect.objectContaining({ code: 'store-failed', details: { limit } });

describe('keys that may be used once', () => {
  it('are refused beyond maxKeys until some expire, and used ones stay used', () => {
    const { burn, advance } = start({ maxKeys: 3 });
    for (const key of ['a', 'b', 'c']) expect(burn(key)).toBe(true);
    expect(() => burn('d')).toThrow(refused('maxKeys'));
    for (const key of ['a', 'b', 'c']) expect(burn(key)).toBe(false);
    advance(70_000);
    expect(burn('d')).toBe(true);
  });

  it('of one owner are refused beyond maxKeysPerOwner, and those of others are not', () => {
    const { burn, advance } = start({ maxKeysPerOwner: 2 });
    expect([burn('a', 'eve'), burn('b', 'eve', 20_000), burn('b', 'eve')]).toEqual([true, true, false]);
    expect(() => burn('c', 'eve')).toThrow(refused('maxKeysPerOwner'));
    expect([burn('c', 'ada'), burn('d')]).toEqual([true, true]);
    advance(30_000);
    expect(burn('e', 'eve')).toBe(true);
    expect(() => burn('f', 'eve')).toThrow(refused('maxKeysPerOwner'));
  });

  it('that have expired already are not stored', () => {
    const { burn } = start({ maxKeys: 1 });
    expect([burn('a', undefined, 0), burn('b', undefined, -1), burn('c')]).toEqual([true, true, true]);
  });
});
