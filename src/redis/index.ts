/** A store in Redis, for many machines. */

export { openRedisStore, type RedisStore, type RedisStoreOptions } from './open.ts';
