/** The stores of a run and what can go wrong with them: Redis behind a cutter, or a SQLite file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteOf } from '../../../../src/sqlite/database.ts';
import { startRedis } from '../../../redis/fixtures/redis-server.ts';
import type { StoreFaultKind, StoreKind } from '../schedule.ts';
import { startCutter } from './cutter.ts';

export interface FaultyStore {
  /** What a node gets as its store. */
  readonly address: string;
  begin(fault: StoreFaultKind): Promise<void>;
  /** Ends the fault that has begun. */
  end(): Promise<void>;
  close(): Promise<void>;
}

export const openFaultyStore = (kind: StoreKind): Promise<FaultyStore> =>
  kind === 'redis' ? redisWithFaults() : Promise.resolve(fileWithFaults());

async function redisWithFaults(): Promise<FaultyStore> {
  const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
  const cutter = await startCutter(Number(new URL(redis.url).port));
  let repair = async (): Promise<void> => {};
  return {
    address: `redis://127.0.0.1:${cutter.port}`,
    async begin(fault) {
      if (fault === 'killed') {
        await redis.kill();
        repair = () => redis.start();
        return;
      }
      if (fault === 'stalled') cutter.stall();
      else cutter.cut();
      repair = async () => cutter.heal();
    },
    async end() {
      await repair();
      repair = async () => {};
    },
    async close() {
      await cutter.close();
      await redis.close();
    },
  };
}

function fileWithFaults(): FaultyStore {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-chaos-'));
  const file = join(folder, 'store.db');
  let release = (): void => {};
  return {
    address: file,
    async begin() {
      const database = new (sqliteOf())(file);
      database.exec('PRAGMA busy_timeout = 5000');
      database.exec('BEGIN IMMEDIATE');
      release = () => {
        database.exec('ROLLBACK');
        database.close();
        release = () => {};
      };
    },
    end: async () => release(),
    async close() {
      release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
