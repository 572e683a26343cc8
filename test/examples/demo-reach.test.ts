/** Queries of the demo can read the tables of its database with functions that only compute, and nothing else of the machine. */
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, connect, toText } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statementProblem } from '../../examples/demo/sql/allowed-statements.ts';
import { type Database, openDatabase } from '../../examples/demo/sql/database.ts';
import { sample } from '../../examples/demo/sql/sample.ts';
import { demoOnStdio } from './demo-program.ts';

let client: Client;
let folder: string;
let database: Database;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-reach-'));
  await writeFile(join(folder, 'secret.txt'), 'the secret');
  database = await openDatabase(':memory:');
  database.run(sample);
  client = await connect(demoOnStdio());
});
afterAll(async () => {
  database.close();
  await client?.close();
  await rm(folder, { recursive: true });
});

async function requested(sql: string): Promise<[boolean, string]> {
  const answer = await client.tools.call('query', { sql: sql.replaceAll('FOLDER', folder) });
  return [answer.isError === true, toText(answer)];
}

describe('a query of the demo', () => {
  // Drivers differ in their functions: a missing one is refused as unknown, with its name.
  it.each([
    ['readfile', "SELECT cast(readfile('FOLDER/secret.txt') AS text)"],
    ['readfile', `SELECT "readfile"('FOLDER/secret.txt')`],
    ['READFILE', "SELECT [READFILE]('FOLDER/secret.txt')"],
    ['readfile', "SELECT `readfile`/**/('FOLDER/secret.txt')"],
    ['readfile', "SELECT name FROM city ORDER BY readfile('FOLDER/secret.txt')"],
    ['readfile', "SELECT sum(length(readfile('FOLDER/secret.txt'))) OVER () FROM city"],
    ['readfile', "WITH x AS (SELECT readfile('FOLDER/secret.txt') AS y) SELECT y FROM x"],
    ['writefile', "SELECT writefile('FOLDER/written.txt', 'hello')"],
    ['sha3_query', `SELECT sha3_query('SELECT writefile(''FOLDER/written.txt'', 1)')`],
    ['load_extension', "SELECT load_extension('FOLDER/secret.txt')"],
    ['edit', "SELECT edit('x', 'touch FOLDER/written.txt')"],
    ['zipfile', "SELECT zipfile('FOLDER/written.txt', 'x')"],
    ['sqlar_compress', "SELECT sqlar_compress('x')"],
    ['fts3_tokenizer', "SELECT fts3_tokenizer('simple')"],
  ])('cannot use the function %s: %s', async (name, sql) => {
    const [refused, text] = await requested(sql);
    expect(refused).toBe(true);
    expect(text).toMatch(new RegExp(`The function ${name} is not allowed here: use|no such function: ${name}`, 'i'));
    expect(text).not.toContain('the secret');
    await expect(access(join(folder, 'written.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each([
    ['fsdir', "SELECT name FROM fsdir('FOLDER')"],
    ['fsdir', "SELECT f.name FROM [fsdir]('FOLDER') AS f JOIN city"],
    ['zipfile', "SELECT * FROM zipfile('FOLDER/secret.txt')"],
    ['generate_series', 'SELECT value FROM generate_series(1, 10)'],
    ['pragma_database_list', 'SELECT file FROM pragma_database_list'],
    ['pragma_query_only', 'SELECT * FROM pragma_query_only'],
    ['sqlite_dbpage', 'SELECT data FROM sqlite_dbpage'],
    ['dbstat', 'SELECT path FROM dbstat'],
  ])('cannot read the virtual table %s: %s', async (name, sql) => {
    const [refused, text] = await requested(sql);
    expect(refused).toBe(true);
    expect(text).toMatch(new RegExp(`${name} is not allowed here: read|no such table: ${name}`));
    expect(text).not.toContain('secret.txt');
  });

  it.each([
    ["ATTACH 'FOLDER/written.txt' AS other", /Only SELECT is allowed/],
    ["VACUUM INTO 'FOLDER/written.txt'", /Only SELECT is allowed/],
    ['PRAGMA query_only = OFF', /Only SELECT is allowed/],
    ["SELECT 1; ATTACH 'FOLDER/written.txt' AS other", /one statement at a time/],
    ['WITH x AS (SELECT 1) DELETE FROM reading', /readonly database/],
    ["WITH x AS (SELECT 1) INSERT INTO reading SELECT 1, '', 1, 1 FROM x", /readonly database/],
  ])('is refused with a hint: %s', async (sql, fix) => {
    expect(await requested(sql)).toEqual([true, expect.stringMatching(fix)]);
    await expect(access(join(folder, 'written.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('an ordinary query', () => {
  const window = 'WINDOW w AS (PARTITION BY country ORDER BY people)';

  it.each([
    'SELECT count(*), sum(people), avg(people), min(name), max(name), total(people), group_concat(name) FROM city',
    "SELECT lower(name), upper(name), substr(name, 1, 2), length(name), trim(name), replace(name, 'a', 'b') FROM city",
    "SELECT date('now'), datetime('now', 'localtime'), strftime('%Y', 'now'), julianday('now'), current_timestamp",
    `SELECT json_extract('{"a":1}', '$.a'), '{"a":1}' ->> '$.a', json_object('a', 1), json_group_array(name) FROM city`,
    "SELECT name FROM city WHERE name LIKE 'B%' OR name GLOB 'O*' OR instr(name, 'x') OR rowid BETWEEN 1 AND 2",
    `SELECT row_number() OVER w, rank() OVER w, ntile(2) OVER w, lag(name) OVER w, nth_value(name, 2) OVER w FROM city ${window}`,
    'SELECT sum(people) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES) FROM city',
    'WITH RECURSIVE n(i) AS (VALUES (1) UNION SELECT i + 1 FROM n WHERE i < 10) SELECT sum(i) FROM n',
    'SELECT DISTINCT country FROM city ORDER BY 1 DESC LIMIT 2 OFFSET 1',
    'SELECT * FROM city FULL OUTER JOIN reading ON id = city_id WHERE id IN (1, 2) AND EXISTS (SELECT 1 FROM reading)',
    "SELECT name FROM city UNION SELECT day FROM reading INTERSECT SELECT 'Monday' EXCEPT SELECT 'x'",
    'SELECT country, count(DISTINCT name) FILTER (WHERE people > 3) FROM city GROUP BY country HAVING count(*) > 1',
    "SELECT iif(1, 2, 3), coalesce(NULL, 1), nullif(1, 2), typeof(1), abs(-1), round(1.5), printf('%d', 1), hex('x')",
    "SELECT (SELECT name FROM city WHERE id = r.city_id) FROM reading r WHERE (city_id, day) IN (VALUES (1, 'Monday'))",
    "SELECT 'readfile(1)', name AS readfile FROM city",
    'SELECT name FROM sqlite_schema',
    'VALUES (1), (2)',
  ])('is allowed: %s', (sql) => {
    expect(statementProblem(database, sql)).toBeUndefined();
    expect([...database.rows(sql)].length).toBeGreaterThan(0);
  });

  // Functions that not every driver has.
  it.each([
    'stdev',
    'variance',
    'mode',
    'median',
    'lower_quartile',
    'upper_quartile',
    'square',
    'reverse',
    'sha3',
    'regexpi',
  ])('may use %s where the driver has it', (name) => {
    const given = name === 'regexpi' ? "'o', name" : 'people';
    const judged = (): string => {
      try {
        return statementProblem(database, `SELECT ${name}(${given}) FROM city`) ?? 'allowed';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(judged()).toMatch(new RegExp(`^allowed$|no such function: ${name}`));
  });
});
