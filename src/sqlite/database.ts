/** A SQLite file, opened by `node:sqlite` where Node has it, else by the package libsql. */
import { createRequire } from 'node:module';
import { TenonError } from '../lib/errors/tenon-error.ts';

export type SqlValue = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, SqlValue>>;

/** A prepared statement. */
export interface Statement {
  get(...values: readonly SqlValue[]): Row | undefined;
  all(...values: readonly SqlValue[]): readonly Row[];
  run(...values: readonly SqlValue[]): unknown;
}

/** What both packages have. */
export interface Database {
  prepare(sql: string): Statement;
  exec(sql: string): unknown;
  close(): unknown;
}

type OpenDatabase = new (file: string) => Database;

/** Which package opens files here. */
export function sqliteOf(which?: 'node:sqlite' | 'libsql'): OpenDatabase {
  const builtIn = which === 'libsql' ? undefined : nodeSqlite();
  if (builtIn !== undefined) return builtIn;
  if (which !== 'node:sqlite') {
    const found = libsql();
    if (found !== undefined) return found;
  }
  throw new TenonError('missing-package', 'This Node has no node:sqlite, and the package libsql is not installed.', {
    hint: 'Run `npm install libsql`, or use Node 22.13 or newer.',
  });
}

function nodeSqlite(): OpenDatabase | undefined {
  const { getBuiltinModule } = process as { getBuiltinModule?: (name: string) => unknown };
  // Node 20 has no such module; Node 22 to 24 print a warning that it is experimental, once.
  return (getBuiltinModule?.('node:sqlite') as { DatabaseSync: OpenDatabase } | undefined)?.DatabaseSync;
}

function libsql(): OpenDatabase | undefined {
  try {
    return createRequire(import.meta.url)('libsql') as OpenDatabase;
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'MODULE_NOT_FOUND') return undefined;
    throw cause;
  }
}

/** Whether another connection holds the file at the moment. The two packages report it differently. */
export function isBusy(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const busy = 5;
  const locked = 6;
  if (typeof errcode === 'number') return (errcode & 0xff) === busy || (errcode & 0xff) === locked;
  return typeof code === 'string' && /^SQLITE_(BUSY|LOCKED)/.test(code);
}
