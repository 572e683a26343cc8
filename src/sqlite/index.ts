/** A store in a SQLite file, for one machine. */

export { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from './open.ts';
