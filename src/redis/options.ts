/** The options of `openRedisStore`, and its fixed limits. */
import type { StoreOptions } from '../driver/options.ts';
import type { Rule } from '../lib/options/option-rules.ts';

/**
 * How long Redis may take.
 * @area store
 * @of `openRedisStore`
 */
export interface RedisTimeouts {
  /**
   * How long one command of Redis may take.
   * @default 2 s
   * @beyond it fails; it may have been carried out
   * @code store-timeout
   */
  readonly commandMs?: number;
  /**
   * How long connecting to Redis may take.
   * @default 5 s
   * @beyond `openRedisStore` rejects; a lost connection is made again in the background
   * @code store-failed
   */
  readonly connectMs?: number;
}

/**
 * Options of `openRedisStore`.
 * @area store
 * @of `openRedisStore`
 */
export interface RedisStoreOptions extends StoreOptions {
  /**
   * The start of all keys and channels, so that several servers can share one Redis.
   * @default ''
   * @rule redisPrefix
   */
  readonly prefix?: string;
  /**
   * What Redis must give: `process` needs `appendonly yes`, `disk` also `appendfsync always`. With less, opening fails with
   * `store-not-durable`.
   * @default computed whatever Redis is set to
   */
  readonly durability?: 'process' | 'disk';
  /** How long Redis may take. */
  readonly timeouts?: RedisTimeouts;
  /**
   * Whether to begin a new store where Redis has one of an earlier Tenon, which stays as it is.
   * @default false
   */
  readonly fresh?: boolean;
}

export const redisPrefix: Rule = {
  holds: (value) => typeof value === 'string' && !/[{}]/.test(value),
  must: 'be a text without braces',
};

/**
 * Live keys of runs of one owner in Redis.
 * @limit RedisStoreOptions.maxKeysPerOwner
 * @beyond `begin` returns `full`, until some expire
 * @code store-failed
 */
export const maxKeysPerOwner = 50_000;

/**
 * Characters of stored results of one owner in Redis.
 * @limit RedisStoreOptions.maxCharsPerOwner
 * @beyond the oldest of that owner are dropped
 */
export const maxCharsPerOwner = 16_000_000;

/**
 * Live keys of calls without a principal in Redis.
 * @limit RedisStoreOptions.maxSharedKeys
 * @beyond `begin` returns `full` in that sixteenth of the keys, until some expire
 * @code store-failed
 */
export const maxSharedKeys = 1_000_000;

/**
 * Characters of their results in Redis.
 * @limit RedisStoreOptions.maxSharedChars
 * @beyond the oldest of that sixteenth are dropped
 */
export const maxSharedChars = 256_000_000;
