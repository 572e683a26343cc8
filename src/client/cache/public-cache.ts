/** Results that servers mark as public, shared by clients of the same URL. */
import { readOptions } from '../../lib/options/read-options.ts';
import { cacheBounds } from '../api/cache-options.table.ts';
import type { CacheBounds, SharedCache } from '../api/cache-options.ts';
import { Entries } from './entries.ts';

const partitions = new WeakMap<SharedCache, (name: string) => Entries>();

/** Creates a cache for several clients. The limits apply to each URL; of more than 100 URLs the oldest are dropped. */
export function createSharedCache(bounds: CacheBounds = {}): SharedCache {
  const limits = readOptions('createSharedCache()', cacheBounds, bounds);
  const known = new Map<string, Entries>();
  const cache: SharedCache = { type: 'shared-cache' };
  partitions.set(cache, (name) => {
    const entries = known.get(name) ?? new Entries(limits);
    known.delete(name);
    known.set(name, entries);
    for (const oldest of known.keys()) {
      if (known.size <= maxPartitions) break;
      known.delete(oldest);
    }
    return entries;
  });
  return cache;
}

/**
 * URLs of one shared cache.
 * @limit client
 * @beyond the oldest is dropped
 */
const maxPartitions = 100;

export const entriesOf = (cache: SharedCache, partition: string): Entries | undefined =>
  partitions.get(cache)?.(partition);
