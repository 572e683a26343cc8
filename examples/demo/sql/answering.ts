/** The process that holds the database: a query that takes too long, or too much memory, can only be ended by ending its process. */
import { type Database, openDatabase, type Row } from './database.ts';
import { boundMemory } from './memory.ts';
import { reachProblem } from './reaching.ts';
import { sample } from './sample.ts';

/** The most that one answer holds. */
const maxRows = 100;
const maxCharacters = 64 * 1024;

export interface Asked {
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
export interface Told {
  readonly id: number;
  readonly answer?: Answer;
}

const file = process.env.DEMO_DATABASE;
const database = await openDatabase(file ?? ':memory:');
if (file === undefined) database.run(sample);
database.run('PRAGMA query_only = ON');
const bounded = await boundMemory();

process.on('message', ({ id, sql }: Asked) => {
  tell({ id });
  tell({ id, answer: bounded(() => answerTo(database, sql)) });
});
process.on('disconnect', () => process.exit());

function tell(told: Told): void {
  process.send?.(told);
}

function answerTo(database: Database, sql: string): Answer {
  try {
    const problem = reachProblem(database, sql);
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
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return value === null || typeof value !== 'object' ? value : `${value.byteLength} bytes`;
}
