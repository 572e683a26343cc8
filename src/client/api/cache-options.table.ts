/** Tables of options, generated from the interfaces beside it: do not edit, run `npm run generate`. */
import { count, ms, type Table, table } from '../../lib/options/option-table.ts';
import { type CacheBounds, type CacheOptions, maxCached } from './cache-options.ts';
import { sharedCache } from './connect-rules.ts';

export const cacheBounds = /* @__PURE__ */ table(
  () =>
    ({
      maxChars: count(16_000_000),
    }) satisfies Table<CacheBounds>,
  {
    maxEntries: maxCached,
  },
);

export const cacheOptions = /* @__PURE__ */ table(
  () =>
    ({
      maxChars: count(16_000_000),
      ttlMs: ms(undefined, { most: Number.POSITIVE_INFINITY }),
      shared: sharedCache,
    }) satisfies Table<CacheOptions>,
  {
    maxEntries: maxCached,
  },
);
