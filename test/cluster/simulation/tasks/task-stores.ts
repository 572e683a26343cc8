/** The stores that a simulated cluster with tasks shares: memory, or a SQLite file with a connection for each node. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from 'tenon/sqlite';
import { createMemoryStore } from 'tenon/store';
import type { ClusterPlan } from '../cluster.ts';

export interface SharedStore {
  readonly connect: ClusterPlan['connect'];
  /** Closes all connections, and deletes the file. */
  close(): Promise<void>;
}

export const taskStores = {
  memory(): SharedStore {
    const shared = createMemoryStore();
    return { connect: async () => shared, close: async () => {} };
  },
  sqlite(): SharedStore {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-simulation-'));
    const opened: { close(): Promise<void> }[] = [];
    return {
      async connect() {
        // Nothing waits for the disk: a simulated machine loses no power.
        const store = await openSqliteStore(join(folder, 'store.db'), { durability: 'process' });
        opened.push(store);
        return store;
      },
      async close() {
        for (const store of opened) await store.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

export type TaskStoreName = keyof typeof taskStores;
