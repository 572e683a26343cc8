/** The engines whose stores several processes share: every suite that runs on all of them reads this table. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasPostgres, startPostgres } from '../../postgres/fixtures/postgres-server.ts';
import { hasRedis, startRedis } from '../../redis/fixtures/redis-server.ts';
import type { StoreAddress } from './open-at.ts';

export type EngineName = 'sqlite' | 'redis' | 'postgres';

/** A process that holds the data of a store, and has on disk what it acknowledged. */
export interface StoreServer {
  readonly url: string;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again on the same port, with its data. */
  start(): Promise<void>;
  /** Stops it in the middle of everything: it answers no more, and its connections stay open. */
  pause(): void;
  resume(): void;
}

export interface StartedEngine {
  /** Absent where the data is in a file. */
  readonly server?: StoreServer;
  /** An empty store. */
  next(): StoreAddress;
  close(): Promise<void>;
}

export interface Engine {
  readonly label: string;
  /** Whether a process holds its data, which can be killed. */
  readonly hasServer: boolean;
  /** Why it cannot run on this machine. */
  readonly missing: string | undefined;
  /** Starts what its stores need. */
  start(): Promise<StartedEngine>;
}

export const engines: Readonly<Record<EngineName, Engine>> = {
  sqlite: { label: 'SQLite', hasServer: false, missing: undefined, start: async () => inFiles() },
  redis: {
    label: 'Redis',
    hasServer: true,
    missing: hasRedis ? undefined : 'redis-server is not installed',
    start: async () => onServer(await startRedis(['--appendonly', 'yes', '--appendfsync', 'always'])),
  },
  postgres: {
    label: 'PostgreSQL',
    hasServer: true,
    missing: hasPostgres ? undefined : 'postgresql is not installed',
    start: async () => onServer(await startPostgres(['fsync=on'])),
  },
};

export const engineNames: readonly EngineName[] = ['sqlite', 'redis', 'postgres'];

/** Those of this machine, for suites that start one each. */
export const enginesHere: readonly (readonly [label: string, engine: Engine])[] = Object.values(engines)
  .filter(({ missing }) => missing === undefined)
  .map((engine) => [engine.label, engine]);

/** Those whose data a process holds. */
export const enginesWithServers = enginesHere.filter(([, { hasServer }]) => hasServer);

function onServer(server: StoreServer & { close(): Promise<void> }): StartedEngine {
  let stores = 0;
  return { server, next: () => ({ url: server.url, space: `store${++stores}` }), close: () => server.close() };
}

function inFiles(): StartedEngine {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-stores-'));
  let stores = 0;
  return {
    next: () => ({ url: `sqlite:${join(folder, `store${++stores}.db`)}`, space: '' }),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
