/** The suite of the contract rejects drivers that are broken on purpose, each by the case that is about its fault. */
import type { StoreDriver } from 'tenon/store';
import { type DriverUnderTest, testStoreDriver } from 'tenon/store/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryDriver } from '../../../src/store/memory/memory-driver.ts';
import { type BrokenDriver, brokenDrivers } from './broken-drivers.ts';
import { expectLikeMemoryDriver } from './like-memory.ts';

function openBroken({ make }: BrokenDriver): DriverUnderTest {
  let now = Date.UTC(2026, 0);
  const clock = (): number => now;
  const memory = createMemoryDriver({ now: clock });
  const driver = Object.defineProperties(
    { ...memory },
    {
      epoch: { get: () => memory.epoch },
      ...Object.getOwnPropertyDescriptors(make(memory, clock)),
    },
  ) as StoreDriver;
  return { driver, advance: (ms) => void (now += ms), lose: () => memory.clear(), close: () => memory.close() };
}

function casesOf(broken: BrokenDriver): ReadonlyMap<string, () => Promise<void>> {
  const cases = new Map<string, () => Promise<void>>();
  testStoreDriver(
    () => openBroken(broken),
    (name, run) => cases.set(name, run),
  );
  return cases;
}

describe('the suite', () => {
  it('accepts the same driver without a fault', async () => {
    const cases = casesOf({ by: '', make: () => ({}) });
    expect(cases.size).toBeGreaterThan(100);
    for (const run of cases.values()) await run();
  });

  it.each(Object.entries(brokenDrivers))('rejects a driver that %s', async (_, broken) => {
    const run = casesOf(broken).get(broken.by);
    expect(run, `there is a case '${broken.by}'`).toBeTypeOf('function');
    await expect(run?.()).rejects.toThrow(/expected/i);
  });
});

describe('the comparison with the engine in memory', () => {
  it('accepts the same driver without a fault', async () => {
    expect(await expectLikeMemoryDriver(() => openBroken({ by: '', make: () => ({}) }), 50)).toBeGreaterThan(100);
  });

  const compared = [
    'applies a run that fails up to the op that failed',
    'ignores conditions of delete',
    'checks a condition after the effects of the ops before',
    'counts rows that have expired',
    'ignores aliases',
    'has texts beyond maxChars',
    'appends an entry twice',
    'ignores marks',
    'forgets when a row expires',
  ];

  it.each(compared)('rejects a driver that %s, with the command that repeats it', async (name) => {
    const broken = brokenDrivers[name] as BrokenDriver;
    await expect(expectLikeMemoryDriver(() => openBroken(broken), 300)).rejects.toThrow(
      /TENON_SEED=\d+ npx vitest run test\/store\/driver\/broken\.test\.ts/,
    );
  });
});
