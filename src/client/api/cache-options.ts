/** Options and statistics of a client's cache of lists and reads. */

/** Limits of a cache. */
export interface CacheBounds {
  /** How many results are cached. Default 1000; the least recently used are removed first. */
  readonly maxEntries?: number;
  /** How many characters of JSON are cached. Default 16 000 000. */
  readonly maxChars?: number;
}

/** A cache for several clients, made by `createSharedCache`. It has only results that servers mark as public, by URL. */
export interface SharedCache {
  readonly type: 'shared-cache';
}

/** The options of a client's cache. */
export interface CacheOptions extends CacheBounds {
  /** How long results are cached if the server sends no `ttlMs`. By default they are not cached. */
  readonly ttlMs?: number;
  /** A cache of public results that clients of the same URL share. */
  readonly shared?: SharedCache;
}

/** How often the cache of a client was used. */
export interface CacheStats {
  /** Results from the cache. */
  hits: number;
  /** Results fetched from the server. */
  misses: number;
  /** Calls that waited for an equal request in flight. */
  joined: number;
  /** Results that were fetched again and had not changed. */
  unchanged: number;
}

export const noneCounted = (): CacheStats => ({ hits: 0, misses: 0, joined: 0, unchanged: 0 });
