/** Opens a store in Redis, which servers on many machines can share. */
import { openOn } from '../driver/open.ts';
import { readOptions } from '../lib/options/read-options.ts';
import type { WholeStore } from '../store/parts/parts.ts';
import { openRedisDriver } from './engine/driver.ts';
import { redisStoreOptions } from './options.table.ts';
import type { RedisStoreOptions } from './options.ts';

/** A store in Redis. */
export interface RedisStore extends WholeStore {
  readonly name: 'redis';
  /** Closes the connections. Operations fail from then on. */
  close(): Promise<void>;
}

/** Opens a store in Redis 7.0 or newer, at a URL such as `redis://localhost:6379`. */
export async function openRedisStore(url: string, options: RedisStoreOptions = {}): Promise<RedisStore> {
  const of = 'openRedisStore()';
  const settings = readOptions(of, redisStoreOptions, options);
  const { prefix, durability, timeouts, fresh, now, onError, ...rest } = settings;
  const { maxKeysPerOwner, maxCharsPerOwner, maxSharedKeys, maxSharedChars } = rest;
  // Keys of principals are limited by owner alone.
  const perOwner = { maxKeysPerOwner, maxCharsPerOwner };
  const once = { maxKeys: Infinity, maxChars: Infinity, ...perOwner, maxSharedKeys, maxSharedChars };
  const { driver, store } = await openOn(of, { ...rest, once, now, onError, place: prefix }, (prepare) =>
    openRedisDriver(url, {
      prefix,
      timeouts,
      fresh,
      prepare,
      ...(durability && { durability }),
      ...(now && { now }),
      ...(onError && { onError }),
    }),
  );
  return {
    ...store,
    name: 'redis',
    get durability() {
      return driver.durability;
    },
    close: () => driver.close(),
  };
}
