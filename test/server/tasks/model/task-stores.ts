/** The stores that the engine is tested with: memory and a SQLite file, on a clock of the test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from 'tenon/sqlite';
import { createMemoryStore, type TaskStore } from 'tenon/store';

export interface TestedStore {
  readonly tasks: TaskStore;
  close(): Promise<void>;
}

export const testedStores: readonly (readonly [name: string, open: (now: () => number) => Promise<TestedStore>])[] = [
  ['memory', async (now) => ({ tasks: createMemoryStore({ now }).tasks, close: async () => {} })],
  [
    'SQLite',
    async (now) => {
      const folder = mkdtempSync(join(tmpdir(), 'tenon-tasks-'));
      const store = await openSqliteStore(join(folder, 'store.db'), { now, durability: 'process' });
      return {
        tasks: store.tasks,
        async close() {
          await store.close();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  ],
];
