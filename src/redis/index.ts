/** A store in Redis, for many machines. */

export { openRedisStore, type RedisStore } from './open.ts';
export type { RedisStoreOptions } from './options.ts';
