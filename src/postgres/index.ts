/** A store in PostgreSQL, for many machines. */

export { openPostgresStore, type PostgresStore } from './open.ts';
export type { PostgresStoreOptions } from './options.ts';
