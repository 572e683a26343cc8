/** Nodes that share a SQLite file run each call once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from 'tenon/sqlite';
import { onTestFinished } from 'vitest';
import { testSingleRuns } from '../store/single-runs.ts';

testSingleRuns('in a SQLite file', true, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'store.db');
  return {
    open: (now) => openSqliteStore(file, { busyMs: 60_000, ...(now && { now }) }),
    address: { url: `sqlite:${file}`, space: '' },
  };
});
