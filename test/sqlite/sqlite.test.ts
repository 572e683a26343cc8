/** The store in a SQLite file keeps the contract of every store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from 'tenon/sqlite';
import { withFixed } from '../kit/fixed-limits.ts';
import { testStore } from '../store/contract.ts';
import { testLimitStore } from '../store/limit-contract.ts';
import { onceLimits, testOnceStore } from '../store/once-contract.ts';
import { testTasks } from '../store/task-contract.ts';
import { drivers } from './fixtures/drivers.ts';

for (const driver of drivers) {
  testStore(`in a SQLite file, by ${driver}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-sqlite-'));
    let moment = 1_000_000;
    const store = await openSqliteStore(join(folder, 'store.db'), { now: () => moment, driver });
    return {
      store,
      advance: (ms) => void (moment += ms),
      now: () => moment,
      lose: () => store.clear(),
      // Another process publishes, and deletes it as too old before this one looks.
      async loseMessages() {
        const other = await openSqliteStore(join(folder, 'store.db'), { now: () => moment, driver });
        await other.bus.publish('a', 'lost');
        moment += 120_000;
        await other.bus.publish('z', '');
        await other.close();
      },
      async close() {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  });
  testLimitStore(`in a SQLite file, by ${driver}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-sqlite-'));
    let moment = 10_000_000;
    const store = await openSqliteStore(join(folder, 'store.db'), { now: () => moment, driver });
    return {
      store: store.limits,
      advance: (ms) => void (moment += ms),
      async close() {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  });
  testOnceStore(`in a SQLite file, by ${driver}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-sqlite-'));
    let moment = 10_000_000;
    const open = () => openSqliteStore(join(folder, 'store.db'), withFixed({ now: () => moment, driver }, onceLimits));
    const stores = [await open(), await open()] as const;
    return {
      stores: [stores[0].once, stores[1].once],
      hasTotals: true,
      advance: (ms) => void (moment += ms),
      async close() {
        for (const store of stores) await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  });
  testTasks(`in a SQLite file, by ${driver}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-sqlite-'));
    let moment = 10_000_000;
    const store = await openSqliteStore(join(folder, 'store.db'), { now: () => moment, driver });
    return {
      tasks: store.tasks,
      bus: store.bus,
      advance: (ms) => void (moment += ms),
      async close() {
        await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  });
}
