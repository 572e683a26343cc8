/** An embedded SQLite database: `node:sqlite` where this Node has it, libsql otherwise. */

type Cell = string | number | bigint | null | Uint8Array | ArrayBuffer;
type Cells = readonly Cell[];
export type Row = Readonly<Record<string, Cell>>;

export interface Database {
  /** Runs statements without results. */
  run(sql: string): void;
  /** The rows of one statement, read on demand. Integers are bigints. */
  rows(sql: string): Iterable<Row>;
  /** The instructions of one compiled statement, which does not run. */
  program(sql: string): readonly Row[];
  close(): void;
}

/** The common interface of the two packages. Optional methods exist in one of them only. */
interface Driver {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

/** Rows are arrays of cells: as objects they would lose columns of the same name. */
interface Statement {
  iterate(): IterableIterator<Cells>;
  columns(): readonly { readonly name: string }[];
  get(): unknown;
  setReadBigInts?(on: boolean): void;
  safeIntegers?(on: boolean): void;
  setReturnArrays?(on: boolean): void;
  raw?(on: boolean): void;
}

/** Opens a connection when one is needed and runs the `first` statements. A locked database closes the connection. */
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
        // A statement that fails on a locked database stays active, and libsql cannot reset it.
        if (isLocked(error)) close();
        throw error;
      }
    },
    program(sql) {
      const statement = prepare(`EXPLAIN ${sql}`);
      try {
        return [...named(statement, statement.iterate())];
      } finally {
        // Unlike other statements, EXPLAIN stays active after its last row.
        reset(statement);
      }
    },
    close,
  };
}

/** Whether it is SQLITE_BUSY or one of its extended codes. */
function isLocked(error: unknown): boolean {
  const { errcode, rawCode = errcode } = error as { readonly errcode?: number; readonly rawCode?: number };
  return rawCode !== undefined && (rawCode & 0xff) === 5;
}

function* named(statement: Statement, all: Iterable<Cells>): Generator<Row, void> {
  let names: readonly string[] | undefined;
  for (const cells of all) {
    // Only after the first row: a statement is recompiled when it starts, if another connection has changed the tables.
    names ??= namesOf(statement);
    yield Object.fromEntries(names.map((name, at) => [name, cells[at] ?? null]));
  }
}

/** Unique column names. Never `__proto__`, because validation drops that key. */
function namesOf(statement: Statement): string[] {
  const taken = new Set(['__proto__']);
  return statement.columns().map(({ name }) => {
    let distinct = name;
    for (let nth = 2; taken.has(distinct); nth++) distinct = `${name}_${nth}`;
    taken.add(distinct);
    return distinct;
  });
}

/** How many rows libsql reads at once. */
const batch = 100;

/**
 * No statement may stay active: until then the connection reads an old snapshot and blocks all writers. libsql resets a
 * statement that is left early only at garbage collection.
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
    // An error of SQLite ends the statement; a reset would run it again.
    ended = 'code' in (error as Error);
    throw error;
  } finally {
    if (!ended) reset(statement);
  }
}

/** Resets an active statement. libsql has no call for it, so this reads one more row, which resets it. */
function reset(statement: Statement): void {
  try {
    statement.get();
  } catch {
    // A statement that fails has ended as well.
  }
}

async function findDriver(): Promise<(file: string) => Driver> {
  const name: string = 'node:sqlite';
  const builtIn = await import(name).catch(() => undefined);
  // The first versions of node:sqlite return rows as objects only.
  if (builtIn?.StatementSync.prototype.setReturnArrays !== undefined)
    return (file) => new builtIn.DatabaseSync(file) as Driver;
  const { default: Libsql } = await import('libsql');
  return (file) => new Libsql(file) as Driver;
}
