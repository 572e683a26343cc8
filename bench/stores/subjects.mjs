/** The stores to measure: memory, a SQLite file, a Redis and a PostgreSQL of their own; each with what it used so far. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from '../../dist/postgres.js';
import { openRedisStore } from '../../dist/redis.js';
import { openSqliteStore } from '../../dist/sqlite.js';
import { createMemoryStore } from '../../dist/store.js';
import { hasPostgres, startPostgres } from './postgres.mjs';
import { hasRedis, startRedis } from './redis.mjs';

const wanted = process.env.BENCH_STORES?.split(',');

/** The names of the stores that this machine has, or those of `BENCH_STORES`. */
export const storeNames = [
  'memory',
  'SQLite',
  ...(hasRedis ? ['Redis'] : []),
  ...(hasPostgres ? ['PostgreSQL'] : []),
].filter((name) => wanted === undefined || wanted.includes(name));

/** Whether a store is a server, whose commands and processor time are measured. */
export const isServer = (name) => name === 'Redis' || name === 'PostgreSQL';

/** Opens a store by the address that a server program gets: `memory`, a file, or a URL. */
export function openStore(address) {
  if (address === 'memory') return createMemoryStore();
  if (address.startsWith('postgres:')) return openPostgresStore(address);
  return address.startsWith('redis:') ? openRedisStore(address) : openSqliteStore(address);
}

/**
 * `address` is for `openStore`. `usage()` has the commands that a server was sent and its processor time, which `cpuMs()`
 * has alone; `bytes()` is
 * what the store holds, where it is not in the process.
 */
export async function prepareStore(name) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-stores-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (name === 'Redis') return startRedis(folder, remove);
  if (name === 'PostgreSQL') return startPostgres(folder, remove);
  const cpuMs = () => 0;
  const usage = () => ({ commands: 0, cpuMs: cpuMs() });
  if (name === 'memory') return { address: 'memory', cpuMs, usage, bytes: () => 0, close: remove };
  const address = join(folder, 'store.db');
  const sizeOf = (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return { address, cpuMs, usage, bytes: () => sizeOf(address) + sizeOf(`${address}-wal`), close: remove };
}
