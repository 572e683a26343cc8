/** An embedded SQLite database behind three calls: `node:sqlite` where this Node has it, libsql otherwise. */

type Cell = string | number | bigint | null | Uint8Array | ArrayBuffer;
export type Row = Readonly<Record<string, Cell>>;

export interface Database {
  /** Runs statements that give nothing back. */
  run(sql: string): void;
  /** The rows of one statement, read as they are asked for. Whole numbers are bigints. */
  rows(sql: string): Iterable<Row>;
  close(): void;
}

/** What the two packages have in common, and where they differ. */
interface Driver {
  exec(sql: string): unknown;
  prepare(sql: string): {
    iterate(): Iterable<unknown>;
    setReadBigInts?(on: boolean): void;
    safeIntegers?(on: boolean): void;
  };
  close(): unknown;
}

export async function openDatabase(file: string): Promise<Database> {
  const driver = await openDriver(file);
  return {
    run: (sql) => void driver.exec(sql),
    rows(sql) {
      const statement = driver.prepare(sql);
      statement.setReadBigInts?.(true);
      statement.safeIntegers?.(true);
      return statement.iterate() as Iterable<Row>;
    },
    close: () => void driver.close(),
  };
}

async function openDriver(file: string): Promise<Driver> {
  const name: string = 'node:sqlite';
  const builtIn = await import(name).catch(() => undefined);
  if (builtIn !== undefined) return new builtIn.DatabaseSync(file) as Driver;
  const { default: Libsql } = await import('libsql');
  return new Libsql(file) as Driver;
}
