/** Opens a store by its URL, and loads only what that store needs. */
import { checkSecrets } from '../driver/encryption/options.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { checkOptions } from '../lib/options/option-rules.ts';
import type { Store } from '../store/store.ts';
import { openStoreOptions } from './open-store-options.table.ts';
import type { OpenStoreOptions } from './open-store-options.ts';

/** A store that was opened by its URL. */
export interface OpenedStore extends Store {
  /** Closes the file or the connections. Operations fail from then on. */
  close(): Promise<void>;
}

/**
 * Opens a store: `sqlite:./tenon.db` (relative to the working directory), `sqlite:/var/lib/tenon.db`,
 * `redis://localhost:6379`, `rediss://…` with TLS, or `memory:`. For options of a store, use `openSqliteStore` of
 * `tenon/sqlite` or `openRedisStore` of `tenon/redis`.
 *
 * ```ts
 * const store = await openStore('sqlite:./tenon.db');
 * await serveHttp(server, { store });
 * ```
 */
export async function openStore(url: string, options: OpenStoreOptions = {}): Promise<OpenedStore> {
  checkOptions('openStore()', options, openStoreOptions);
  checkSecrets('openStore()', options.encryption);
  const address = addressIn(url);
  const { onError, encryption } = options;
  const own = { ...(onError && { onError }), ...(encryption && { encryption }) };
  if (address.scheme === 'sqlite') {
    const { openSqliteStore } = await import('../sqlite/index.ts');
    return openSqliteStore(address.file, own);
  }
  if (address.scheme === 'redis') {
    const { openRedisStore } = await import('../redis/index.ts');
    return openRedisStore(address.url, own);
  }
  const { createMemoryStore } = await import('../store/index.ts');
  return { ...createMemoryStore(), close: async () => {} };
}

type Address =
  | { readonly scheme: 'memory' }
  | { readonly scheme: 'sqlite'; readonly file: string }
  | { readonly scheme: 'redis'; readonly url: string };

/** Reads the URL of a store. Throws `invalid-argument`; the error never contains the URL, which may have a password. */
export function addressIn(url: unknown): Address {
  const [, scheme, rest = ''] = (typeof url === 'string' && /^([a-z][a-z\d+.-]*):(.*)$/is.exec(url)) || [];
  switch (scheme?.toLowerCase()) {
    case 'memory':
      if (rest !== '') throw notUrl("The URL of a store in memory is 'memory:'.", "Write 'memory:'.");
      return { scheme: 'memory' };
    case 'sqlite':
      return { scheme: 'sqlite', file: fileIn(rest) };
    case 'redis':
    case 'rediss':
      if (!rest.startsWith('//')) throw notUrl('The URL of Redis has no host.', 'Write redis://localhost:6379.');
      return { scheme: 'redis', url: url as string };
    default:
      throw notUrl(
        scheme === undefined ? 'The store is not a URL.' : `No store has the scheme '${scheme}:'.`,
        `Write ${scheme === undefined && looksLikeFile(url) ? `'sqlite:${url}'` : "'sqlite:./tenon.db', 'redis://localhost:6379' or 'memory:'"}.`,
      );
  }
}

const looksLikeFile = (url: unknown): url is string => typeof url === 'string' && /^[\w./-]+$/.test(url);

/** The path after `sqlite:`. With two slashes, what follows would be a host. */
function fileIn(rest: string): string {
  const path = rest.startsWith('///') ? rest.slice(2) : rest;
  if (path === '' || path === '/') throw notUrl('The URL names no SQLite file.', "Write 'sqlite:./tenon.db'.");
  if (path === ':memory:') throw notUrl('A SQLite store is a file.', "Write 'memory:' for a store in memory.");
  if (path.startsWith('//'))
    throw notUrl(
      'The URL of a SQLite file has no host.',
      "Write 'sqlite:./tenon.db' for a path relative to the working directory, 'sqlite:/var/lib/tenon.db' for an absolute one.",
    );
  if (/[?#]/.test(path))
    throw notUrl('The URL of a SQLite file has no parameters.', 'Use openSqliteStore() of tenon/sqlite for options.');
  return path;
}

const notUrl = (problem: string, hint: string): TenonError =>
  new TenonError('invalid-argument', `store: ${problem}`, { hint, details: { place: 'store' } });
