/** Random operations on a store in a SQLite file have the results that they have on one in memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from 'tenon/sqlite';
import { expect, it } from 'vitest';
import { scaled } from '../kit/long.ts';
import { expectLikeMemory } from '../store/like-memory.ts';
import { drivers } from './fixtures/drivers.ts';

const rounds = scaled(40, 2000);
const limits = { maxStreamChars: 400, maxSessionChars: 1000, maxTotalStoredChars: 5000, maxStreams: 3 };

it.each(drivers)('by %s has the results of a store in memory for every sequence of operations', async (driver) => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-sqlite-'));
  let moment = 1_000_000;
  const now = () => moment;
  const store = await openSqliteStore(join(folder, 'store.db'), { now, driver });
  const clock = { now, advance: (ms: number) => void (moment += ms) };
  expect(await expectLikeMemory({ store, clock, limits, rounds, clear: () => store.clear() })).toBeGreaterThan(rounds);
  await store.close();
  rmSync(folder, { recursive: true });
});
