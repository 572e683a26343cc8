/** A store in Redis, for many machines. */

export type { StoredConsentsOptions, StoredCredentialsOptions } from '../driver/credentials/options.ts';
export type { EncryptionOptions } from '../driver/encryption/options.ts';
export type { SharedStoreOptions } from '../driver/options.ts';
export type * from '../store/store.ts';
export { openRedisStore, type RedisStore, type RedisStoreOptions, type RedisTimeouts } from './open.ts';
