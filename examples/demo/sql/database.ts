/** An embedded SQLite database behind a few calls: `node:sqlite` where this Node has it, libsql otherwise. */

type Cell = string | number | bigint | null | Uint8Array | ArrayBuffer;
type Cells = readonly Cell[];
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

/** Rows are lists of cells: as objects, they would lose columns that have a name in common. */
interface Statement {
  iterate(): IterableIterator<Cells>;
  columns(): readonly { readonly name: string }[];
  get(): unknown;
  setReadBigInts?(on: boolean): void;
  safeIntegers?(on: boolean): void;
  setReturnArrays?(on: boolean): void;
  raw?(on: boolean): void;
}

/** What finds the database locked ends the connection; each one begins with the first statements. */
export async function openDatabase(file: string, first = ''): Promise<Database> {
  const open = await findDriver();
  let connection: Driver | undefined;

  function connected(): Driver {
    if (connection !== undefined) return connection;
    const opened = open(file);
    opened.exec(first);
    connection = opened;
    return opened;
  }

  function prepare(sql: string): Statement {
    const statement = connected().prepare(sql);
    statement.setReadBigInts?.(true);
    statement.safeIntegers?.(true);
    statement.setReturnArrays?.(true);
    statement.raw?.(true);
    return statement;
  }

  function close(): void {
    connection?.close();
    connection = undefined;
  }

  return {
    run: (sql) => void connected().exec(sql),
    *rows(sql) {
      try {
        const statement = prepare(sql);
        yield* named(statement, read(statement));
      } catch (error) {
        // A statement that found the database locked stays active, and libsql has no call that resets it.
        if (isLocked(error)) close();
        throw error;
      }
    },
    program(sql) {
      const statement = prepare(`EXPLAIN ${sql}`);
      try {
        return [...named(statement, statement.iterate())];
      } finally {
        // Unlike others, it stays active when it is read to its end.
        reset(statement);
      }
    },
    close,
  };
}

/** Whether it is SQLITE_BUSY, in one of its kinds. */
function isLocked(error: unknown): boolean {
  const { errcode, rawCode = errcode } = error as { readonly errcode?: number; readonly rawCode?: number };
  return rawCode !== undefined && (rawCode & 0xff) === 5;
}

function* named(statement: Statement, all: Iterable<Cells>): Generator<Row, void> {
  let names: readonly string[] | undefined;
  for (const cells of all) {
    // Not before there is a row: a statement is made anew when it begins, where others have changed the tables.
    names ??= namesOf(statement);
    yield Object.fromEntries(names.map((name, at) => [name, cells[at] ?? null]));
  }
}

/** No two are the same. Whoever checks a row leaves out `__proto__`, so that is never one. */
function namesOf(statement: Statement): string[] {
  const taken = new Set(['__proto__']);
  return statement.columns().map(({ name }) => {
    let distinct = name;
    for (let nth = 2; taken.has(distinct); nth++) distinct = `${name}_${nth}`;
    taken.add(distinct);
    return distinct;
  });
}

/** How many rows libsql reads at once, whoever asks for one. */
const batch = 100;

/**
 * No statement may stay active: while one is, the connection goes on to read the database as it was, and nobody else
 * may write to it. libsql lets go of one that is left early only when its garbage is collected.
 */
function* read(statement: Statement): Generator<Cells, void> {
  const rows = statement.iterate();
  if (typeof rows.return === 'function') return yield* rows;
  let ended = false;
  try {
    while (!ended) {
      const some: Cells[] = [];
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

async function findDriver(): Promise<(file: string) => Driver> {
  const name: string = 'node:sqlite';
  const builtIn = await import(name).catch(() => undefined);
  // The first that came with Node give rows as objects only.
  if (builtIn?.StatementSync.prototype.setReturnArrays !== undefined)
    return (file) => new builtIn.DatabaseSync(file) as Driver;
  const { default: Libsql } = await import('libsql');
  return (file) => new Libsql(file) as Driver;
}
