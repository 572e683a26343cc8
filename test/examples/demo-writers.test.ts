/** Other processes write to the database of the demo while it is queried: they are not blocked, and queries see their changes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, toText } from 'tenon';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { statementProblem } from '../../examples/demo/sql/allowed-statements.ts';
import { type Database, openDatabase } from '../../examples/demo/sql/database.ts';
import { demoOnStdio } from './demo-program.ts';

const begun = `
  CREATE TABLE t (a);
  WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO t SELECT i FROM n;
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-writers-'));
});
afterAll(() => rm(folder, { recursive: true }));

const all = (database: Database, sql: string) => [...database.rows(sql)];

/** Reads a number of rows and stops, or fewer where it fails. */
function take(database: Database, sql: string, rows: number): void {
  let taken = 0;
  try {
    for (const _ of database.rows(sql)) if (++taken === rows) break;
  } catch {
    // Some statements fail on purpose.
  }
}

const demoOf = (file: string) => connect(demoOnStdio({ DEMO_DATABASE: file }));

describe.each(['delete', 'wal'])('with the journal mode %s', (mode) => {
  let writer: Database;
  let reader: Database;
  let file: string;
  beforeAll(async () => {
    file = join(folder, `${mode}.db`);
    writer = await openDatabase(file);
    all(writer, `PRAGMA journal_mode = ${mode}`);
    writer.run(begun);
    reader = await openDatabase(file);
  });
  afterAll(() => {
    writer.close();
    reader.close();
  });

  const count = (database: Database) => all(database, 'SELECT count(*) AS n FROM t')[0]?.n;

  it.each([
    ['whose program was read', 'SELECT a FROM t LIMIT 3', 3],
    ['that is left after its first row', 'SELECT a FROM t', 1],
    ['that is left at the end of a batch', 'SELECT a FROM t', 100],
    ['that is left with its last rows already read', 'SELECT a FROM t LIMIT 150', 101],
    ['that fails at its first row', 'SELECT abs(-9223372036854775807 - 1) FROM t', 1],
    ['that fails after the row it is left at', 'SELECT iif(a = 101, abs(-9223372036854775807 - 1), a) FROM t', 100],
  ])('a statement %s does not block writers: %s, %i rows', (_which, sql, rows) => {
    expect(statementProblem(reader, sql)).toBeUndefined();
    take(reader, sql, rows);
    writer.run('INSERT INTO t VALUES (0)');
    expect(count(reader)).toBe(count(writer));
  });

  it('a column that another process adds has its own name', () => {
    writer.run('CREATE TABLE grown (a); INSERT INTO grown VALUES (1)');
    expect(all(reader, 'SELECT * FROM grown')).toEqual([{ a: 1n }]);
    writer.run("ALTER TABLE grown ADD COLUMN b DEFAULT 'new'");
    expect(all(reader, 'SELECT * FROM grown')).toEqual([{ a: 1n, b: 'new' }]);
  });

  it('the tool answers from the current content of the file, also after an answer that was cut', async () => {
    await using client = await demoOf(file);
    const requested = async (sql: string) => (await client.tools.call('query', { sql })).structuredContent;
    for (let round = 0; round < 3; round++) {
      expect(await requested('SELECT count(*) AS n FROM t')).toEqual({
        rows: [{ n: Number(count(writer)) }],
        cut: false,
      });
      writer.run('INSERT INTO t VALUES (0)');
      expect(await requested('SELECT * FROM t')).toMatchObject({ cut: true });
      writer.run('INSERT INTO t VALUES (0)');
    }
  });
});

describe('after a query that found the database locked', () => {
  let writer: Database;
  let file: string;
  beforeEach(async () => {
    file = join(await mkdtemp(join(folder, 'locked-')), 'a.db');
    writer = await openDatabase(file);
    writer.run('CREATE TABLE t (a)');
  });
  afterEach(() => writer.close());

  it('other processes can write, queries see their changes, and the connection has its settings', async () => {
    const reader = await openDatabase(file, 'PRAGMA query_only = ON');
    expect(all(reader, 'SELECT * FROM t')).toEqual([]);
    writer.run('BEGIN EXCLUSIVE');
    expect(() => all(reader, 'SELECT * FROM t')).toThrow('database is locked');
    writer.run('ROLLBACK');
    expect(all(reader, 'SELECT * FROM t')).toEqual([]);
    writer.run('INSERT INTO t VALUES (1)');
    expect(all(reader, 'SELECT * FROM t')).toEqual([{ a: 1n }]);
    expect(() => reader.run('INSERT INTO t VALUES (2)')).toThrow('readonly');
    reader.close();
  });

  it('the tool still answers, and other processes can write', async () => {
    await using client = await demoOf(file);
    const requested = () => client.tools.call('query', { sql: 'SELECT * FROM t' });
    expect((await requested()).structuredContent).toEqual({ rows: [], cut: false });
    writer.run('BEGIN EXCLUSIVE');
    // On a busy machine the query can time out before it stops waiting for the lock.
    await vi.waitFor(async () => {
      const refused = await requested();
      expect([refused.isError, toText(refused)]).toEqual([true, 'database is locked']);
    });
    writer.run('ROLLBACK');
    expect((await requested()).structuredContent).toEqual({ rows: [], cut: false });
    writer.run('INSERT INTO t VALUES (1)');
    expect((await requested()).structuredContent).toEqual({ rows: [{ a: 1 }], cut: false });
  });
});
