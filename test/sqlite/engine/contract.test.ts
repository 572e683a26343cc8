/** The SQLite engine by the suite of the contract. */
import { testStoreDriver } from 'tenon/store/testing';
import { describe, it } from 'vitest';
import { openSqliteDriver } from '../../../src/sqlite/engine/driver.ts';
import { drivers } from '../fixtures/drivers.ts';
import { temporaryFile } from './fixtures/temporary-file.ts';

for (const driver of drivers)
  describe(`the SQLite engine by ${driver}, with two connections to a file`, () => {
    testStoreDriver(async () => {
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
    }, it);
  });
