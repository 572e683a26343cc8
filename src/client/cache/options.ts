/** What can be said of how a client keeps lists and reads. */
import type { CacheBounds } from './entries.ts';
import type { SharedCache } from './public-cache.ts';

export interface CacheOptions extends CacheBounds {
  /** How long lists and reads are fresh where the server does not say so; by default they are not kept. */
  readonly ttlMs?: number;
  /** Where results that are meant for everybody are kept besides, for other clients of the same address. */
  readonly shared?: SharedCache;
}
