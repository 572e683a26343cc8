/** A SQLite file whose writes fail before or after they are committed, that is locked, or opened again: nothing is half done. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore, type SqliteStore } from 'tenon/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { type Database, sqliteOf } from '../../src/sqlite/database.ts';
import { scaled } from '../kit/long.ts';
import { expectSurvivesFaults } from '../store/faulty.ts';
import { drivers } from './fixtures/drivers.ts';

const rounds = scaled(15, 300);
const timeoutMs = scaled(300_000, 600_000);
const limits = { maxStreamChars: 400, maxSessionChars: 1000, maxTotalStoredChars: 5000, maxStreams: 3 };

/** Makes the next COMMIT of this process fail. */
function failingCommits(driver: (typeof drivers)[number]) {
  const { prototype } = sqliteOf(driver) as unknown as { prototype: Database };
  const { exec } = prototype;
  let fault: 'before commit' | 'after commit' | undefined;
  prototype.exec = function (this: Database, sql: string) {
    if (sql !== 'COMMIT' || fault === undefined) return exec.call(this, sql);
    const moment = fault;
    fault = undefined;
    if (moment === 'after commit') exec.call(this, sql);
    throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR', errcode: 10 });
  };
  onTestFinished(() => void (prototype.exec = exec));
  return (next: typeof fault) => void (fault = next);
}

it.each(drivers)(
  'by %s has done an operation that failed, or has not, whatever failed [S20]',
  async (driver) => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-sqlite-'));
    const file = join(folder, 'store.db');
    let moment = 1_000_000;
    const now = () => moment;
    const open = () => openSqliteStore(file, { now, driver, busyMs: 50 });
    let store: SqliteStore = await open();
    const other = new (sqliteOf(driver))(file);
    onTestFinished(async () => {
      other.close();
      await store.close();
      rmSync(folder, { recursive: true });
    });
    const failNext = failingCommits(driver);
    let isLocked = false;
    const failures = await expectSurvivesFaults({
      store: () => store,
      clock: { now, advance: (ms) => void (moment += ms) },
      limits,
      rounds,
      faults: ['before commit', 'after commit', 'locked', 'opened again'],
      async arm(fault) {
        if (fault === 'locked') {
          other.exec('BEGIN IMMEDIATE');
          isLocked = true;
        } else if (fault === 'opened again') {
          await store.close();
          store = await open();
        } else failNext(fault);
      },
      recover() {
        failNext(undefined);
        if (isLocked) other.exec('ROLLBACK');
        isLocked = false;
      },
      mayHaveRun: (fault) => fault === 'after commit',
      clear: () => store.clear(),
    });
    expect(failures).toBeGreaterThan(rounds / 5);
  },
  timeoutMs,
);
