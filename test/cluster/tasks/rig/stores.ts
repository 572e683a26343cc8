/** The stores of the matrix: a file for each run, or a Redis that writes every change to disk before it answers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../../../redis/fixtures/redis-server.ts';

export type StoreKind = 'sqlite' | 'redis';

export interface RunStore {
  readonly address: string;
  readonly prefix: string;
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

async function inRedis(): Promise<Stores> {
  const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
  let runs = 0;
  return {
    next: () => ({ address: redis.url, prefix: `run${++runs}:` }),
    async restart() {
      await redis.kill();
      await redis.start();
    },
    close: () => redis.close(),
  };
}

function inFiles(): Stores {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-tasks-'));
  let runs = 0;
  return {
    next: () => ({ address: join(folder, `run${++runs}.db`), prefix: '' }),
    restart: () => Promise.reject(new Error('A file cannot be killed.')),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
