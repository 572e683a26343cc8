/** Opens a store in a SQLite file, which several processes of one machine can share. */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { codecFor } from '../driver/encryption/open-codec.ts';
import { checkShared, type SharedStoreOptions, sharedRules } from '../driver/options.ts';
import { storeParts } from '../driver/store-parts.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { callback, checkOptions, count, duration, type Rule, type Rules } from '../lib/options/option-rules.ts';
import type { ConsentStore } from '../store/consents/consent-store.ts';
import type { CredentialStore } from '../store/credentials/credential-store.ts';
import type { Durability } from '../store/durability.ts';
import type { LimitStore } from '../store/limits/limit-store.ts';
import type { NodeStore } from '../store/nodes/node-store.ts';
import type { OnceStore } from '../store/once/once-store.ts';
import type { Store } from '../store/store.ts';
import type { TaskStore } from '../store/tasks/task-store.ts';
import { createSqliteBus } from './bus.ts';
import { Connection } from './connection.ts';
import { createConsentRows, createCredentialRows } from './credentials.ts';
import { isBusy, sqliteOf } from './database.ts';
import { createSqliteEvents } from './events/events.ts';
import { createSqliteLimits } from './limits.ts';
import { createSqliteNodes } from './nodes.ts';
import { createSqliteOnce } from './once.ts';
import { prepareStore } from './schema.ts';
import { createSqliteSessions } from './sessions.ts';
import { SqliteTasks } from './tasks.ts';

/** Options of `openSqliteStore`. */
export interface SqliteStoreOptions extends SharedStoreOptions {
  /** How long an operation waits for other processes before it fails with `store-busy`. Default 1500, less than `timeouts.storeMs`. */
  readonly busyMs?: number;
  /**
   * Whether keys that may be used once are on disk when they are acknowledged, which costs a sync of the disk each:
   * `disk`; or survive only the process: `process`. Sessions, events and rates always survive the process only. Default `disk`.
   */
  readonly durability?: 'process' | 'disk';
  /** How many live keys are remembered, used ones and those of runs each. Default 1,000,000. */
  readonly maxKeys?: number;
  /** How many of them one owner may have. Default 50,000. */
  readonly maxKeysPerOwner?: number;
  /** Characters of the stored results of runs; beyond it the oldest are dropped. Default 256 million. */
  readonly maxChars?: number;
  /** Characters of the stored results of one owner; beyond it the oldest of this owner are dropped. Default 16 million. */
  readonly maxCharsPerOwner?: number;
  /** Which package opens the file. Default `node:sqlite` where Node has it, else `libsql`; both read the files of the other. */
  readonly driver?: 'node:sqlite' | 'libsql';
  /** The clock by which records expire, in milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
  /** Called with what failed in the background, such as looking for messages of other processes. */
  readonly onError?: (error: unknown) => void;
}

/** A store in a SQLite file. */
export interface SqliteStore extends Store {
  readonly name: 'sqlite';
  /** The durability of keys that may be used once. */
  readonly durability: Durability;
  /** Keys that may be used once. */
  readonly once: OnceStore;
  /** Rates and slots: pass it as `limits.store` of `guard`. */
  readonly limits: LimitStore;
  /** Answers of users: pass it as `consentStore` of `createHost`. */
  readonly consents: ConsentStore;
  /** Tokens of clients: pass it as the store of credentials. */
  readonly credentials: CredentialStore;
  /** Which nodes live. */
  readonly nodes: NodeStore;
  /** Tasks and their journals. */
  readonly tasks: TaskStore;
  /** Closes the file. Operations fail from then on. */
  close(): Promise<void>;
  /** Deletes everything, as if the store had lost its contents. For tests. */
  clear(): Promise<void>;
}

const rules: Rules & Record<keyof SqliteStoreOptions, Rule> = {
  busyMs: duration,
  durability: {
    holds: (value) => value === 'process' || value === 'disk',
    must: "be 'process' or 'disk'",
  },
  maxKeys: count,
  maxKeysPerOwner: count,
  maxChars: count,
  maxCharsPerOwner: count,
  ...sharedRules,
  driver: {
    holds: (value) => value === 'node:sqlite' || value === 'libsql',
    must: "be 'node:sqlite' or 'libsql'",
  },
  now: callback,
  onError: callback,
};

/** How long opening waits for processes that open the same file. */
const openMs = 10_000;

/** Opens a store in a file; makes the file and its folder where there are none. */
export async function openSqliteStore(file: string, options: SqliteStoreOptions = {}): Promise<SqliteStore> {
  checkOptions('openSqliteStore()', options, rules, 'invalid-argument');
  checkShared('openSqliteStore()', options);
  const codec = codecFor(options.encryption);
  const { busyMs = 1500, maxKeys = 1_000_000, maxKeysPerOwner = 50_000 } = options;
  const { maxChars = 256_000_000, maxCharsPerOwner = 16_000_000 } = options;
  const { now = () => Date.now(), onError = () => undefined } = options;
  const OpenDatabase = sqliteOf(options.driver);
  const path = resolve(file);
  const open = (synchronous: 'full' | 'normal'): Connection => {
    const database = new OpenDatabase(path);
    try {
      const connection = new Connection(database, { busyMs, synchronous });
      connection.exec('PRAGMA journal_mode = WAL');
      return connection;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  makeFile(path);
  const connection = await whenFree(() => open('normal'), path);
  const strict = await whenFree(() => open(options.durability === 'process' ? 'normal' : 'full'), path);
  try {
    await connection.write(() => prepareStore(connection, codec));
  } catch (error) {
    strict.close();
    connection.close();
    throw error;
  }

  const readEpoch = (): string => connection.sql("SELECT value FROM meta WHERE name = 'epoch'").get()?.value as string;
  let epoch = readEpoch();
  const events = createSqliteEvents(connection, now, codec);
  const bus = createSqliteBus(connection, { now, onError, onChange: () => void (epoch = readEpoch()) });
  const parts = storeParts(
    {
      sessions: createSqliteSessions(connection, events, { now, epoch: () => epoch, onError }),
      bus,
      once: createSqliteOnce(strict, { maxKeys, maxKeysPerOwner, maxChars, maxCharsPerOwner }, now, codec),
      limits: createSqliteLimits(connection, now),
      consents: createConsentRows(strict, options.consents, now),
      credentials: createCredentialRows(strict, options.credentials, now),
      tasks: new SqliteTasks(strict, now),
    },
    codec,
    options,
    onError,
  );
  return {
    name: 'sqlite',
    durability: strict.survivesPowerFailure ? 'disk' : 'process',
    ...parts,
    events,
    nodes: createSqliteNodes(connection, now),
    async close() {
      bus.close();
      strict.close();
      connection.close();
    },
    async clear() {
      await connection.write(() => clearTables(connection));
      epoch = readEpoch();
    },
  };
}

/** A new file is readable by this user alone: it has sessions and tokens. SQLite gives its other files the same rights. */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (cause) {
    throw notOpened(path, cause);
  }
}

const tables = [
  'session',
  'log_session',
  'log',
  'event',
  'awaited',
  'message',
  'used_key',
  'run',
  'bucket',
  'slot',
  'credential',
  'credential_lock',
  'consent',
  'node',
  'task',
  'task_entry',
];

/** Deletes everything, inside a transaction. */
function clearTables(connection: Connection): void {
  for (const table of tables) connection.exec(`DELETE FROM ${table}`);
  connection.exec('UPDATE log_total SET size = 0, awaited = 0');
  connection.exec("UPDATE meta SET value = lower(hex(randomblob(16))) WHERE name = 'epoch'");
}

/** Opens a file; where another process is making it, tries again for a while. */
async function whenFree<T>(open: () => T, path: string): Promise<T> {
  const deadline = performance.now() + openMs;
  for (;;) {
    try {
      return open();
    } catch (cause) {
      if (!isBusy(cause) || performance.now() > deadline) throw notOpened(path, cause);
    }
    await wait(5 + Math.random() * 20);
  }
}

const notOpened = (path: string, cause: unknown): TenonError => {
  const why = cause instanceof Error ? cause.message : String(cause);
  const hint = 'Check that the path is a file on a local disk that this user may write.';
  return new TenonError('store-failed', `The SQLite store at ${path} cannot be opened: ${why}.`, { hint, cause });
};
