/** Opens a store of any engine at its address, in the process of a test or in one that it has started. */
import { openPostgresStore } from 'tenon/postgres';
import { openRedisStore } from 'tenon/redis';
import { openSqliteStore } from 'tenon/sqlite';

export interface StoreAddress {
  readonly url: string;
  /** What separates it from other stores at the same URL: a prefix in Redis, a schema in PostgreSQL. Empty: the default. */
  readonly space: string;
}

export interface OpenOptions {
  /** How long a server may take for one command. */
  readonly commandMs?: number;
  /** How long connecting to one may take. */
  readonly connectMs?: number;
  /** How long a file may be locked. */
  readonly busyMs?: number;
  readonly now?: () => number;
  readonly onError?: (error: unknown) => void;
  readonly encryption?: { readonly keys: readonly string[] };
  readonly credentials?: object;
}

export function openAt({ url, space }: StoreAddress, { commandMs, connectMs, busyMs, ...rest }: OpenOptions = {}) {
  const timeouts = { ...(commandMs !== undefined && { commandMs }), ...(connectMs !== undefined && { connectMs }) };
  if (url.startsWith('redis:'))
    return openRedisStore(url, { timeouts, ...rest, ...(space && { prefix: `${space}:` }) });
  if (url.startsWith('postgres:'))
    return openPostgresStore(url, { timeouts, ...rest, ...(space && { schema: space }) });
  return openSqliteStore(url.replace('sqlite:', ''), { ...rest, ...(busyMs !== undefined && { busyMs }) });
}
