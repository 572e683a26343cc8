/** The SQLite engine by the suite of the contract, and by comparison with memory. */
import { type DriverUnderTest, testStoreDriver } from 'tenon/store/testing';
import { describe, expect, it } from 'vitest';
import { openSqliteDriver } from '../../../src/sqlite/engine/driver.ts';
import { scaled } from '../../kit/long.ts';
import { expectLikeMemoryDriver } from '../../store/driver/like-memory.ts';
import { drivers } from '../fixtures/drivers.ts';
import { temporaryFile } from './fixtures/temporary-file.ts';

/** Two connections to a file. */
async function opened(driver: (typeof drivers)[number]): Promise<DriverUnderTest> {
  const { file, remove } = temporaryFile();
  let now = Date.UTC(2026, 0);
  const open = () => openSqliteDriver(file, { now: () => now, driver });
  const [one, other] = [await open(), await open()];
  return {
    driver: one,
    other,
    advance: (ms) => void (now += ms),
    lose: () => one.clear(),
    async close() {
      await Promise.all([one.close(), other.close()]);
      remove();
    },
  };
}

describe.each(drivers)('the SQLite engine by %s', (driver) => {
  testStoreDriver(() => opened(driver), it);

  it('has the results of the engine in memory, whatever runs', async () => {
    const rounds = scaled(40, 1000);
    expect(await expectLikeMemoryDriver(() => opened(driver), rounds)).toBeGreaterThan(rounds);
  }, 600_000);
});
