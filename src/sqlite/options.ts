/** The options of `openSqliteStore`, and its fixed limits. */
import type { StoreOptions } from '../driver/options.ts';

/**
 * Options of `openSqliteStore`.
 * @area store
 * @of `openSqliteStore`
 */
export interface SqliteStoreOptions extends StoreOptions {
  /**
   * How long an operation waits for other processes that write to the file. Less than `timeouts.storeMs` of a server.
   * @default 1.5 s
   * @beyond it fails; nothing was written
   * @code store-busy
   */
  readonly busyMs?: number;
  /**
   * Whether tasks, keys that may be used once, credentials and answers of users are on disk when they are acknowledged,
   * which costs a sync of the disk each: `disk`; or survive only the process: `process`. Sessions, events and rates
   * always survive the process only.
   * @default 'disk'
   */
  readonly durability?: 'process' | 'disk';
  /**
   * Which package opens the file; both read the files of the other.
   * @default computed `node:sqlite` where Node has it, else `libsql`
   */
  readonly driver?: 'node:sqlite' | 'libsql';
}

/**
 * Live keys in a SQLite file, used ones and those of runs each.
 * @limit SqliteStoreOptions.maxKeys
 * @beyond `burn` fails, and `begin` returns `full`, until some expire
 * @code store-failed
 */
export const maxKeys = 1_000_000;

/**
 * Of these, those of one owner.
 * @limit SqliteStoreOptions.maxKeysPerOwner
 * @beyond the same for that owner
 * @code store-failed
 */
export const maxKeysPerOwner = 50_000;

/**
 * Characters of stored results in a SQLite file.
 * @limit SqliteStoreOptions.maxChars
 * @beyond the oldest are dropped; a repeat gets an error
 */
export const maxChars = 256_000_000;

/**
 * Of these, those of one owner.
 * @limit SqliteStoreOptions.maxCharsPerOwner
 * @beyond the oldest of that owner are dropped
 */
export const maxCharsPerOwner = 16_000_000;
