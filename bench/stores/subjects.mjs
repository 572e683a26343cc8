/** The stores to measure: memory, a SQLite file, and a Redis of its own; each with what it used so far. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRedisStore } from '../../dist/redis.js';
import { openSqliteStore } from '../../dist/sqlite.js';
import { createMemoryStore } from '../../dist/store.js';
import { processorMs } from '../lib/processor-time.mjs';

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** The names of the stores that this machine has. */
export const storeNames = ['memory', 'SQLite', ...(hasRedis ? ['Redis'] : [])];

/** Opens a store by the address that a server program gets: `memory`, a file, or a URL. */
export function openStore(address) {
  if (address === 'memory') return createMemoryStore();
  return address.startsWith('redis:') ? openRedisStore(address) : openSqliteStore(address);
}

/**
 * `address` is for `openStore`. `usage()` has the commands that Redis was sent and its processor time; `bytes()` is
 * what the store holds, where it is not in the process.
 */
export async function prepareStore(name) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-stores-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (name === 'Redis') return startRedis(folder, remove);
  const usage = () => ({ commands: 0, cpuMs: 0 });
  if (name === 'memory') return { address: 'memory', usage, bytes: () => 0, close: remove };
  const address = join(folder, 'store.db');
  const sizeOf = (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return { address, usage, bytes: () => sizeOf(address) + sizeOf(`${address}-wal`), close: remove };
}

async function startRedis(folder, remove) {
  const port = await freePort();
  // What most people run: written to disk once a second.
  const saving = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'];
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...saving];
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept connections')) break;
  child.stdout.resume();
  const info = (section) => spawnSync('redis-cli', ['-p', String(port), 'INFO', section], { encoding: 'utf8' }).stdout;
  return {
    address: `redis://127.0.0.1:${port}`,
    usage: () => ({ commands: commandsIn(info('commandstats')), cpuMs: processorMs(child.pid) }),
    bytes: () => Number(/used_memory:(\d+)/.exec(info('memory'))?.[1]),
    async close() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
      remove();
    },
  };
}

/** What nodes send: every operation is one script, and messages are published. Commands inside scripts do not count. */
const commandsIn = (stats) =>
  [...stats.matchAll(/^cmdstat_(?:evalsha|eval|s?publish):calls=(\d+)/gm)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
