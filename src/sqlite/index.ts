/** A store in a SQLite file, for one machine. */

export { openSqliteStore, type SqliteStore } from './open.ts';
export type { SqliteStoreOptions } from './options.ts';
