/** Opens the connections to a SQLite file, while other processes may be making it. */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { Connection } from '../connection.ts';
import { isBusy, sqliteOf } from '../database.ts';
import { StoreFiles } from './store-files.ts';

export interface OpenFileOptions {
  readonly busyMs?: number;
  readonly durability?: 'process' | 'disk';
  readonly driver?: 'node:sqlite' | 'libsql';
}

/** How long opening waits for processes that open the same file. */
const openMs = 10_000;

export interface OpenFile {
  readonly connection: Connection;
  readonly strict: Connection;
  readonly files: StoreFiles;
}

/** Two connections: `strict` syncs the disk at each commit, unless the durability is `process`. */
export async function openConnections(
  file: string,
  { busyMs = 1500, durability, driver }: OpenFileOptions,
): Promise<OpenFile> {
  const OpenDatabase = sqliteOf(driver);
  const path = resolve(file);
  const files = new StoreFiles(path);
  const open = (synchronous: 'full' | 'normal'): Connection => {
    const database = new OpenDatabase(path);
    const beforeCommit = (): void => (synchronous === 'full' ? files.check() : files.checkSometimes());
    try {
      const connection = new Connection(database, { busyMs, synchronous, beforeCommit });
      connection.exec('PRAGMA journal_mode = WAL');
      return connection;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  makeFile(path);
  const connection = await whenFree(() => open('normal'), path);
  try {
    const strict = await whenFree(() => open(durability === 'process' ? 'normal' : 'full'), path);
    return { connection, strict, files };
  } catch (cause) {
    connection.close();
    throw cause;
  }
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
