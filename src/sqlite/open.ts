/** Opens a store in a SQLite file, which several processes of one machine can share. */
import { openOn } from '../driver/open.ts';
import { readOptions } from '../lib/options/read-options.ts';
import type { WholeStore } from '../store/parts/parts.ts';
import { openSqliteDriver } from './engine/driver.ts';
import { sqliteStoreOptions } from './options.table.ts';
import type { SqliteStoreOptions } from './options.ts';

/** A store in a SQLite file. */
export interface SqliteStore extends WholeStore {
  readonly name: 'sqlite';
  /** Closes the file. Operations fail from then on. */
  close(): Promise<void>;
  /** Deletes everything, as if the store had lost its contents. For tests. */
  clear(): Promise<void>;
}

/** Opens a store in a file; makes the file and its folder where there are none. */
export async function openSqliteStore(file: string, options: SqliteStoreOptions = {}): Promise<SqliteStore> {
  const of = 'openSqliteStore()';
  const settings = readOptions(of, sqliteStoreOptions, options);
  const { busyMs, durability, driver: which, now, onError, ...rest } = settings;
  const { maxKeys, maxKeysPerOwner, maxChars, maxCharsPerOwner } = rest;
  const once = { maxKeys, maxKeysPerOwner, maxChars, maxCharsPerOwner };
  const { driver, store } = await openOn(of, { ...rest, once, now, onError }, (prepare) =>
    openSqliteDriver(file, {
      busyMs,
      durability,
      prepare,
      ...(which && { driver: which }),
      ...(now && { now }),
      ...(onError && { onError }),
    }),
  );
  return {
    ...store,
    name: 'sqlite',
    durability: driver.durability,
    close: () => driver.close(),
    clear: () => driver.clear(),
  };
}
