/** Options and statistics of a client's cache of lists and reads. */

export interface CacheBounds {
  /** How many results are kept; 1000 by default. */
  readonly maxEntries?: number;
  /** How many characters of JSON they may have together; 16 million by default. */
  readonly maxChars?: number;
}

/** Pass the same one to several clients. Only what a server marks as public goes into it, under the server's address. */
export interface SharedCache {
  readonly kind: 'shared-cache';
}

export interface CacheOptions extends CacheBounds {
  /** How long lists and reads are fresh where the server does not say so; by default they are not kept. */
  readonly ttlMs?: number;
  /** Where results that are meant for everybody are kept besides, for other clients of the same address. */
  readonly shared?: SharedCache;
}

/** How often what a client keeps was of use. */
export interface CacheStats {
  /** Answered without a request. */
  hits: number;
  /** Fetched from the server. */
  misses: number;
  /** Answered by the request of another caller that was under way. */
  joined: number;
  /** Fetched anew, and equal to what there was. */
  unchanged: number;
}

export const noneCounted = (): CacheStats => ({ hits: 0, misses: 0, joined: 0, unchanged: 0 });
