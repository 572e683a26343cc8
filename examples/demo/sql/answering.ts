/** The process that holds the database: a query that takes too long, or too much memory, can only be ended by ending its process. */
import { type Database, openDatabase, type Row } from './database.ts';
import { boundMemory } from './memory.ts';
import { databaseFile, fileProblem } from './naming.ts';
import { reachProblem } from './reaching.ts';
import { sample } from './sample.ts';

/** The most that one answer holds. */
const maxRows = 100;
const maxCharacters = 64 * 1024;

export interface Requested {
  readonly id: number;
  readonly sql: string;
}

export interface Found {
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
  /** Whether there was more than an answer may hold. */
  readonly cut: boolean;
}

export type Answer = Found | { readonly problem: string };

/** Without an answer it says that the query has begun. */
export interface Notified {
  readonly id: number;
  readonly answer?: Answer;
}

/** How long to wait for others who write. Each of the few steps of a query may wait so, within the query's time. */
const maxLockedMs = 400;

const database = await openDatabase(
  databaseFile ?? ':memory:',
  `${databaseFile === undefined ? sample : ''} PRAGMA busy_timeout = ${maxLockedMs}; PRAGMA query_only = ON;`,
);
const bounded = await boundMemory();

process.on('message', ({ id, sql }: Requested) => {
  notify({ id });
  notify({ id, answer: bounded(() => answerTo(database, sql)) });
});
process.on('disconnect', () => process.exit());

function notify(notified: Notified): void {
  process.send?.(notified);
}

function answerTo(database: Database, sql: string): Answer {
  try {
    const problem = fileProblem() ?? reachProblem(database, sql);
    return problem === undefined ? found(database.rows(sql)) : { problem };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function found(all: Iterable<Row>): Found {
  const rows: Found['rows'][number][] = [];
  let characters = 0;
  for (const row of all) {
    const shown = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, show(value)]));
    characters += JSON.stringify(shown).length;
    if (rows.length === maxRows || characters > maxCharacters) return { rows, cut: true };
    rows.push(shown);
  }
  return { rows, cut: false };
}

/** What JSON cannot hold becomes text. */
function show(value: Row[string]): string | number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return value === null || typeof value !== 'object' ? value : `${value.byteLength} bytes`;
}
