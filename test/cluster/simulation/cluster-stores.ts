/** The stores that a simulated cluster shares: memory, a SQLite file with a connection for each node, or a PostgreSQL. */
import './virtual-random.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from 'tenon/sqlite';
import { createMemoryStore, type Store, type StoreDriver } from 'tenon/store';
import { openOn } from '../../../src/driver/open.ts';
import { openPostgresDriver } from '../../../src/postgres/postgres-driver.ts';
import { engines, type StartedEngine } from '../../kit/stores/engines.ts';
import type { ClusterPlan } from './cluster.ts';
import { outsideTime } from './virtual-time.ts';

export interface SharedStore {
  readonly connect: ClusterPlan['connect'];
  /** Closes all connections, and deletes the file. */
  close(): Promise<void>;
}

export const clusterStores = {
  async memory(): Promise<SharedStore> {
    const shared = createMemoryStore();
    return { connect: async () => shared, close: async () => {} };
  },
  async sqlite(): Promise<SharedStore> {
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
  /** All nodes have one connection, on which messages arrive at once: what another one sends arrives at no certain time. */
  async postgres(): Promise<SharedStore> {
    running ??= engines.postgres.start();
    const { url, space: schema } = (await running).next();
    let opened: Awaited<ReturnType<typeof openPostgres>> | undefined;
    return {
      async connect() {
        opened ??= await openPostgres(url, schema);
        return opened.store;
      },
      close: async () => opened?.driver.close(),
    };
  },
};

export type ClusterStoreName = keyof typeof clusterStores;

let running: Promise<StartedEngine> | undefined;

/** Ends the PostgreSQL that runs have used. */
export async function closeClusterStores(): Promise<void> {
  await (await running)?.close();
  running = undefined;
}

/** Time-outs are in virtual time, which may pass at once while a message is really on its way. */
const never = 2 ** 31 - 1;

async function openPostgres(url: string, schema: string): Promise<{ driver: StoreDriver; store: Store }> {
  const timeouts = { commandMs: never, connectMs: never };
  const settings = {
    credentials: { maxEntries: 1000, lockTimeoutMs: 60_000, lockLeaseMs: 60_000 },
    consents: { maxEntries: 1000 },
    once: { maxKeys: Infinity, maxChars: Infinity, maxKeysPerOwner: Infinity, maxCharsPerOwner: Infinity },
    place: schema,
  };
  return openOn('openPostgresStore()', settings, async (prepare) =>
    inVirtualTime(await openPostgresDriver(url, { schema, timeouts, prepare, now: () => Date.now() })),
  );
}

const inVirtualTime = (driver: StoreDriver): StoreDriver => ({
  name: driver.name,
  durability: driver.durability,
  epoch: driver.epoch,
  run: (...given) => outsideTime(async () => driver.run(...given)),
  take: (request) => outsideTime(async () => driver.take(request)),
  sweep: (max) => outsideTime(async () => driver.sweep(max)),
  subscribe: (...given) => driver.subscribe(...given),
  close: () => driver.close(),
});
