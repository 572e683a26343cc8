/** The options of `openPostgresStore`, and its fixed limits. */
import type { StoreOptions } from '../driver/options.ts';
import type { Rule } from '../lib/options/option-rules.ts';

/**
 * How long PostgreSQL may take.
 * @area store
 * @of `openPostgresStore`
 */
export interface PostgresTimeouts {
  /**
   * How long one command of PostgreSQL may take.
   * @default 5 s
   * @beyond it fails; it may have been carried out
   * @code store-timeout
   */
  readonly commandMs?: number;
  /**
   * How long connecting to PostgreSQL may take, and waiting until a connection is not in use.
   * @default 5 s
   * @beyond `openPostgresStore` or the operation fails; a lost connection is made again in the background
   * @code store-failed
   */
  readonly connectMs?: number;
}

/**
 * Options of `openPostgresStore`.
 * @area store
 * @of `openPostgresStore`
 */
export interface PostgresStoreOptions extends StoreOptions {
  /**
   * The schema that has the tables and functions of the store. It is made where there is none.
   * @default 'tenon'
   * @rule schemaName
   */
  readonly schema?: string;
  /**
   * Connections for runs; one more is for messages.
   * @default 10
   * @beyond operations wait for one
   */
  readonly maxConnections?: number;
  /**
   * What PostgreSQL must give: `disk` needs `fsync`, `full_page_writes` and `synchronous_commit`. With less, opening fails
   * with `store-not-durable`.
   * @default computed whatever PostgreSQL is set to
   */
  readonly durability?: 'process' | 'disk';
  /** How long PostgreSQL may take. */
  readonly timeouts?: PostgresTimeouts;
}

export const schemaName: Rule = {
  holds: (value) => typeof value === 'string' && /^[\w-]{1,50}$/.test(value),
  must: 'have 1 to 50 letters, digits, _ or -',
};

/**
 * Live keys of runs of one owner in PostgreSQL.
 * @limit PostgresStoreOptions.maxKeysPerOwner
 * @beyond `begin` returns `full`, until some expire
 * @code store-failed
 */
export const maxKeysPerOwner = 50_000;

/**
 * Characters of stored results of one owner in PostgreSQL.
 * @limit PostgresStoreOptions.maxCharsPerOwner
 * @beyond the oldest of that owner are dropped
 */
export const maxCharsPerOwner = 16_000_000;

/**
 * Live keys of calls without a principal in PostgreSQL.
 * @limit PostgresStoreOptions.maxSharedKeys
 * @beyond `begin` returns `full` in that sixteenth of the keys, until some expire
 * @code store-failed
 */
export const maxSharedKeys = 1_000_000;

/**
 * Characters of their results in PostgreSQL.
 * @limit PostgresStoreOptions.maxSharedChars
 * @beyond the oldest of that sixteenth are dropped
 */
export const maxSharedChars = 256_000_000;
