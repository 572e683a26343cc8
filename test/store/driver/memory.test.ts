/** The engine in memory by the suite of the contract. */
import { testStoreDriver } from 'tenon/store/testing';
import { describe, it } from 'vitest';
import { createMemoryDriver } from '../../../src/store/memory/memory-driver.ts';

describe('the engine in memory', () => {
  testStoreDriver(() => {
    let now = Date.UTC(2026, 0);
    const driver = createMemoryDriver({ now: () => now });
    return { driver, advance: (ms) => void (now += ms), lose: () => driver.clear(), close: () => driver.close() };
  }, it);
});
