/** Others who write to the database of the demo while it is asked: they are not held up, and what they write is seen. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../examples/demo/sql/database.ts';
import { reachProblem } from '../../examples/demo/sql/reaching.ts';
import { root } from '../architecture/source-tree.ts';

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

/** Reads so many rows and leaves, or fewer where it fails. */
function take(database: Database, sql: string, rows: number): void {
  let taken = 0;
  try {
    for (const _ of database.rows(sql)) if (++taken === rows) break;
  } catch {
    // Some are to fail.
  }
}

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
    ['whose program was looked at', 'SELECT a FROM t LIMIT 3', 3],
    ['that is left after its first row', 'SELECT a FROM t', 1],
    ['that is left at the end of what is read at once', 'SELECT a FROM t', 100],
    ['that is left with its last rows already read', 'SELECT a FROM t LIMIT 150', 101],
    ['that fails at its first row', 'SELECT abs(-9223372036854775807 - 1) FROM t', 1],
    ['that fails after the row it is left at', 'SELECT iif(a = 101, abs(-9223372036854775807 - 1), a) FROM t', 100],
  ])('a statement %s holds up nobody: %s, %i rows', (_which, sql, rows) => {
    expect(reachProblem(reader, sql)).toBeUndefined();
    take(reader, sql, rows);
    writer.run('INSERT INTO t VALUES (0)');
    expect(count(reader)).toBe(count(writer));
  });

  it('the tool answers from what the file holds now, also after an answer that was cut', async () => {
    await using client = await connect({
      command: process.execPath,
      args: ['--import', 'tsx', 'examples/demo/main.ts', '--stdio'],
      cwd: root,
      env: { DEMO_DATABASE: file },
    });
    const asked = async (sql: string) => (await client.tools.call('query', { sql })).structuredContent;
    for (let round = 0; round < 3; round++) {
      expect(await asked('SELECT count(*) AS n FROM t')).toEqual({ rows: [{ n: Number(count(writer)) }], cut: false });
      writer.run('INSERT INTO t VALUES (0)');
      expect(await asked('SELECT * FROM t')).toMatchObject({ cut: true });
      writer.run('INSERT INTO t VALUES (0)');
    }
  });
});
