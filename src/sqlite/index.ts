/** A store in a SQLite file, for one machine. */

export type { StoredConsentsOptions, StoredCredentialsOptions } from '../driver/credentials/options.ts';
export type { EncryptionOptions } from '../driver/encryption/options.ts';
export type { SharedStoreOptions } from '../driver/options.ts';
export type * from '../store/store.ts';
export { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from './open.ts';
