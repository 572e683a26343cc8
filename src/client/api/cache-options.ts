/** Options and statistics of a client's cache of lists and reads. */

/**
 * Limits of a cache.
 * @area client
 */
export interface CacheBounds {
  /**
   * Characters of JSON that are cached; `maxChars` of `createSharedCache` for each URL.
   * @default 16,000,000
   * @beyond the least recently used are dropped
   */
  readonly maxChars?: number;
}

/**
 * Results that are cached.
 * @limit CacheBounds.maxEntries
 * @beyond the least recently used are dropped
 */
export const maxCached = 1000;

/** A cache for several clients, made by `createSharedCache`. It has only results that servers mark as public, by URL. */
export interface SharedCache {
  readonly type: 'shared-cache';
}

/**
 * The options of a client's cache.
 * @area client
 */
export interface CacheOptions extends CacheBounds {
  /**
   * How long results are cached if the server sends no `ttlMs`.
   * @default off, they are not cached
   * @most none
   */
  readonly ttlMs?: number;
  /**
   * A cache of public results that clients of the same URL share.
   * @default off
   * @rule sharedCache
   */
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
