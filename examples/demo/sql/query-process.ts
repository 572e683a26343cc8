/** The process with the database: a query that takes too long or too much memory can only be stopped by killing its process. */

import { statementProblem } from './allowed-statements.ts';
import { type Database, openDatabase, type Row } from './database.ts';
import { databaseFile, fileProblem } from './database-file.ts';
import { limitMemory } from './memory-limit.ts';
import { sample } from './sample.ts';

/** The limits of one answer. */
const maxRows = 100;
const maxCharacters = 64 * 1024;

export interface QueryRequest {
  readonly id: number;
  readonly sql: string;
}

export interface QueryRows {
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
  /** Whether rows were left out because of the limits. */
  readonly cut: boolean;
}

export type Answer = QueryRows | { readonly problem: string };

/** The answer to a query. Without an answer it means that the query has started. */
export interface QueryUpdate {
  readonly id: number;
  readonly answer?: Answer;
}

/** How long one step of a query waits for other writers. The timeout of the query still applies. */
const maxLockedMs = 400;

const database = await openDatabase(
  databaseFile ?? ':memory:',
  `${databaseFile === undefined ? sample : ''} PRAGMA busy_timeout = ${maxLockedMs}; PRAGMA query_only = ON;`,
);
const runLimited = await limitMemory();

process.on('message', ({ id, sql }: QueryRequest) => {
  sendUpdate({ id });
  sendUpdate({ id, answer: runLimited(() => answerTo(database, sql)) });
});
process.on('disconnect', () => process.exit());

function sendUpdate(update: QueryUpdate): void {
  process.send?.(update);
}

function answerTo(database: Database, sql: string): Answer {
  try {
    const problem = fileProblem() ?? statementProblem(database, sql);
    return problem === undefined ? found(database.rows(sql)) : { problem };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function found(all: Iterable<Row>): QueryRows {
  const rows: QueryRows['rows'][number][] = [];
  let characters = 0;
  for (const row of all) {
    const shown = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, show(value)]));
    characters += JSON.stringify(shown).length;
    if (rows.length === maxRows || characters > maxCharacters) return { rows, cut: true };
    rows.push(shown);
  }
  return { rows, cut: false };
}

/** Values that JSON cannot represent become text. */
function show(value: Row[string]): string | number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return value === null || typeof value !== 'object' ? value : `${value.byteLength} bytes`;
}
