/** Opens a store in PostgreSQL, which servers on many machines can share. */
import { openOn } from '../driver/open.ts';
import { readOptions } from '../lib/options/read-options.ts';
import type { WholeStore } from '../store/parts/parts.ts';
import { postgresStoreOptions } from './options.table.ts';
import type { PostgresStoreOptions } from './options.ts';
import { openPostgresDriver } from './postgres-driver.ts';

/** A store in PostgreSQL. */
export interface PostgresStore extends WholeStore {
  readonly name: 'postgres';
  /** Closes the connections. Operations fail from then on. */
  close(): Promise<void>;
}

/** Opens a store in PostgreSQL 12 or newer, at a URL such as `postgres://user@localhost:5432/database`. */
export async function openPostgresStore(url: string, options: PostgresStoreOptions = {}): Promise<PostgresStore> {
  const of = 'openPostgresStore()';
  const settings = readOptions(of, postgresStoreOptions, options);
  const { schema, maxConnections, durability, timeouts, now, onError, ...rest } = settings;
  const { maxKeysPerOwner, maxCharsPerOwner, maxSharedKeys, maxSharedChars } = rest;
  // Keys of principals are limited by owner alone.
  const perOwner = { maxKeysPerOwner, maxCharsPerOwner };
  const once = { maxKeys: Infinity, maxChars: Infinity, ...perOwner, maxSharedKeys, maxSharedChars };
  const { driver, store } = await openOn(of, { ...rest, once, now, onError, place: schema }, (prepare) =>
    openPostgresDriver(url, {
      schema,
      maxConnections,
      timeouts,
      prepare,
      ...(durability && { durability }),
      ...(now && { now }),
      ...(onError && { onError }),
    }),
  );
  return {
    ...store,
    name: 'postgres',
    get durability() {
      return driver.durability;
    },
    close: () => driver.close(),
  };
}
