/** An embedded SQLite database behind a few calls: `node:sqlite` where this Node has it, libsql otherwise. */

type Cell = string | number | bigint | null | Uint8Array | ArrayBuffer;
export type Row = Readonly<Record<string, Cell>>;

export interface Database {
  /** Runs statements that give nothing back. */
  run(sql: string): void;
  /** The rows of one statement, read as they are asked for. Whole numbers are bigints. */
  rows(sql: string): Iterable<Row>;
  /** The instructions that SQLite makes of one statement, which does not run. */
  program(sql: string): readonly Row[];
  close(): void;
}

/** What the two packages have in common, and where they differ. */
interface Driver {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

interface Statement {
  iterate(): IterableIterator<Row>;
  get(): unknown;
  setReadBigInts?(on: boolean): void;
  safeIntegers?(on: boolean): void;
}

export async function openDatabase(file: string): Promise<Database> {
  const driver = await openDriver(file);

  function prepare(sql: string): Statement {
    const statement = driver.prepare(sql);
    statement.setReadBigInts?.(true);
    statement.safeIntegers?.(true);
    return statement;
  }

  return {
    run: (sql) => void driver.exec(sql),
    rows: (sql) => read(prepare(sql)),
    program(sql) {
      const statement = prepare(`EXPLAIN ${sql}`);
      try {
        return [...statement.iterate()];
      } finally {
        // Unlike others, it stays active when it is read to its end.
        reset(statement);
      }
    },
    close: () => void driver.close(),
  };
}

/** How many rows libsql reads at once, whoever asks for one. */
const batch = 100;

/**
 * No statement may stay active: while one is, the connection goes on to read the database as it was, and nobody else
 * may write to it. libsql lets go of one that is left early only when its garbage is collected.
 */
function* read(statement: Statement): Generator<Row, void> {
  const rows = statement.iterate();
  if (typeof rows.return === 'function') return yield* rows;
  let ended = false;
  try {
    while (!ended) {
      const some: Row[] = [];
      while (!ended && some.length < batch) {
        const { done, value } = rows.next();
        if (done === true) ended = true;
        else some.push(value);
      }
      yield* some;
    }
  } catch (error) {
    // What fails in SQLite ends the statement; to reset that one would run it again.
    ended = 'code' in (error as Error);
    throw error;
  } finally {
    if (!ended) reset(statement);
  }
}

/** libsql has no other call for it: this reads one row more of an active statement, then resets it. */
function reset(statement: Statement): void {
  try {
    statement.get();
  } catch {
    // A statement that fails has ended, too.
  }
}

async function openDriver(file: string): Promise<Driver> {
  const name: string = 'node:sqlite';
  const builtIn = await import(name).catch(() => undefined);
  if (builtIn !== undefined) return new builtIn.DatabaseSync(file) as Driver;
  const { default: Libsql } = await import('libsql');
  return new Libsql(file) as Driver;
}
