/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { fixed } from '../../lib/options/fixed-limits.ts';
import { count, ms, type Table } from '../../lib/options/option-table.ts';
import { type CacheBounds, type CacheOptions, maxCached } from './cache-options.ts';
import { sharedCache } from './connect-rules.ts';

export const cacheBounds = {
  maxChars: count(16_000_000),
  [fixed]: {
    maxEntries: maxCached,
  },
} as const satisfies Table<CacheBounds>;

export const cacheOptions = {
  maxChars: count(16_000_000),
  ttlMs: ms(undefined, { most: Number.POSITIVE_INFINITY }),
  shared: sharedCache,
  [fixed]: {
    maxEntries: maxCached,
  },
} as const satisfies Table<CacheOptions>;
