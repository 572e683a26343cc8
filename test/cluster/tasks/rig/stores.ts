/** The stores of the matrix: a file for each run, or a Redis that writes every change to disk before it answers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../../../redis/fixtures/redis-server.ts';

export type StoreKind = 'sqlite' | 'redis';

export interface RunStore {
  readonly address: string;
  readonly prefix: string;
  /** A file for the memory of clients. */
  readonly memory: string;
}

export interface Stores {
  /** An empty store for one run. */
  next(): RunStore;
  /** Kills Redis and starts it again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export const openStores = (kind: StoreKind): Promise<Stores> =>
  kind === 'redis' ? inRedis() : Promise.resolve(inFiles());

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'tenon-tasks-'));

async function inRedis(): Promise<Stores> {
  const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
  const folder = newFolder();
  let runs = 0;
  return {
    next: () => ({ address: redis.url, prefix: `run${++runs}:`, memory: join(folder, `run${runs}.json`) }),
    async restart() {
      await redis.kill();
      await redis.start();
    },
    async close() {
      await redis.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function inFiles(): Stores {
  const folder = newFolder();
  let runs = 0;
  return {
    next: () => ({ address: join(folder, `run${++runs}.db`), prefix: '', memory: join(folder, `run${runs}.json`) }),
    restart: () => Promise.reject(new Error('A file cannot be killed.')),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
