/** The database and the files of the demo: what they return, refuse and survive. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, connect, toText } from 'tenon';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { demoOnStdio } from './demo-program.ts';

let client: Client;
let parent: string;
let folder: string;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'tenon-demo-'));
  folder = join(parent, 'open');
  await mkdir(join(folder, 'deep'), { recursive: true });
  await writeFile(join(parent, 'secret.txt'), 'secret');
  await writeFile(join(folder, 'deep', 'a b.txt'), 'spaced');
  await writeFile(join(folder, 'bytes.bin'), Buffer.from([0xff, 0x00]));
  await writeFile(join(folder, 'large.txt'), 'x'.repeat(1024 * 1024 + 1));
  await writeFile(join(folder, '.hidden'), 'secret');
  await symlink(join(parent, 'secret.txt'), join(folder, 'link.txt'));
  await symlink(parent, join(folder, 'up'));
  execFileSync('mkfifo', [join(folder, 'fifo')]);
  client = await connect(demoOnStdio({ DEMO_FILES: folder }));
});
afterAll(async () => {
  await client?.close();
  await rm(parent, { recursive: true });
});

const query = (sql: string) => client.tools.call('query', { sql });
const rowsOf = async (sql: string) => (await query(sql)).structuredContent;

const endless = 'WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n)';
const runaway = `${endless} SELECT count(*) FROM n`;

describe('the database of the demo', () => {
  it('answers a SELECT with rows', async () => {
    const sql =
      'SELECT name, count(*) AS days FROM city JOIN reading ON city_id = id GROUP BY id ORDER BY name LIMIT 2';
    const rows = [
      { name: 'Bergen', days: 5 },
      { name: 'Berlin', days: 5 },
    ];
    expect(await rowsOf(sql)).toEqual({ rows, cut: false });
  });

  it('returns text for values that JSON cannot represent', async () => {
    const sql = "SELECT 9007199254740993 AS large, x'00ff' AS bytes, NULL AS missing, 1.5 AS half, ';' AS text;";
    const row = { large: '9007199254740993', bytes: '2 bytes', missing: null, half: 1.5, text: ';' };
    expect(await rowsOf(sql)).toEqual({ rows: [row], cut: false });
  });

  it.each([
    ['duplicate names', 'SELECT 1 AS a, 2 AS a, 3 AS a_2', { a: 1, a_2: 2, a_2_2: 3 }],
    ['a name that every object has', 'SELECT 1 AS __proto__, 2 AS b', { __proto___2: 1, b: 2 }],
    ['infinities', 'SELECT 9e999 AS most, -9e999 AS least', { most: 'Infinity', least: '-Infinity' }],
  ])('leaves out no column: %s', async (_which, sql, row) => {
    expect(await rowsOf(sql)).toEqual({ rows: [row], cut: false });
  });

  // libsql crashes its process on them; node:sqlite shows replacement characters.
  it.each(["SELECT x'ff' AS t", "SELECT cast(unhex('ff') AS text) AS t"])(
    'shows text that is not UTF-8 or explains what to do, and still answers: %s',
    async (sql) => {
      const text = toText(await query(sql));
      expect(text).toMatch(/"t":"(?:\ufffd|1 bytes)"|cannot be answered: it crashes the database process\. .* hex\(\)/);
      expect(await rowsOf("SELECT hex(cast(unhex('ff') AS text)) AS t")).toEqual({ rows: [{ t: 'FF' }], cut: false });
    },
  );

  it('cuts answers after 100 rows, and before they are too long', async () => {
    const many = (await rowsOf(`${endless} SELECT i FROM n`)) as { rows: unknown[] };
    expect(many).toMatchObject({ cut: true });
    expect(many.rows).toHaveLength(100);
    const wide = (await rowsOf(`${endless} SELECT hex(zeroblob(10000)) AS x FROM n`)) as { rows: unknown[] };
    expect(wide).toMatchObject({ cut: true });
    expect(wide.rows).toHaveLength(3);
  });

  it.each([
    ['DROP TABLE city', /read only/],
    ['PRAGMA query_only = OFF', /read only/],
    ["ATTACH 'other.db' AS other", /read only/],
    ['SELECT 1; DELETE FROM city', /one statement/],
    ['SELECT 1;; ;DELETE FROM city', /one statement/],
    ['SELECT 1 /* ; */ ; -- ;\n DELETE FROM city', /one statement/],
    ['WITH x AS (SELECT 1) DELETE FROM city', /readonly database/],
    ['-- nothing', /no statement/],
    ['SELECT * FROM nowhere', /no such table: nowhere/],
    ['SELECT FROM', /syntax error/],
  ])('refuses %s with a hint', async (sql, text) => {
    const refused = await query(sql);
    expect([refused.isError, toText(refused)]).toEqual([true, expect.stringMatching(text)]);
    expect(await rowsOf('SELECT count(*) AS n FROM city')).toEqual({ rows: [{ n: 5 }], cut: false });
  });

  it('stops a query that runs too long, answers other calls meanwhile, and still answers queries', async () => {
    const running = query(runaway);
    expect(toText(await client.tools.call('echo', { message: 'hi' }))).toBe('hi');
    const given = await running;
    expect([given.isError, toText(given)]).toEqual([true, expect.stringMatching(/longer than 2000 ms/)]);
    expect(await rowsOf('SELECT 1 AS one')).toEqual({ rows: [{ one: 1 }], cut: false });
  });

  it('stops a query that takes too much memory, and still answers queries', async () => {
    const sql = `${endless} SELECT group_concat(hex(zeroblob(100000000))) FROM n`;
    for (const large of [sql, `SELECT ${Array(30).fill('zeroblob(1000000000)').join()}`]) {
      // On a busy machine the query can time out before it reaches the memory limit.
      await vi.waitFor(async () => {
        const given = await query(large);
        expect([given.isError, toText(given)]).toEqual([true, expect.stringMatching(/too much memory; select less/)]);
      });
      expect(await rowsOf('SELECT 1 AS one')).toEqual({ rows: [{ one: 1 }], cut: false });
    }
  });

  it.each(['SELECT 1 AS one;;;', 'SELECT 1 AS one ; ; -- ;\n;'])('accepts as one statement: %s', async (sql) => {
    expect(await rowsOf(sql)).toEqual({ rows: [{ one: 1 }], cut: false });
  });

  it('answers queries that wait behind one that is stopped, and refuses those over the limit', async () => {
    const running = [query(runaway), query(runaway)];
    const behind = Array.from({ length: 25 }, (_, at) => query(`SELECT ${at} AS n`));
    const answers = await Promise.all(behind);
    for (const given of await Promise.all(running)) expect(toText(given)).toMatch(/longer than 2000 ms/);
    const served = answers.filter(({ isError }) => isError !== true);
    // One query runs and 20 wait: the second runaway query and these 19.
    expect(served.map(({ structuredContent }) => structuredContent)).toEqual(
      Array.from({ length: 19 }, (_, n) => ({ rows: [{ n }], cut: false })),
    );
    for (const refused of answers.slice(19)) expect(toText(refused)).toMatch(/Too many queries wait/);
  });

  it('answers other queries when the client cancels a running one', async () => {
    const abort = new AbortController();
    const leaving = client.tools.call('query', { sql: runaway }, { signal: abort.signal });
    const behind = rowsOf('SELECT 2 AS two');
    abort.abort();
    await expect(leaving).rejects.toMatchObject({ code: 'cancelled' });
    expect(await behind).toEqual({ rows: [{ two: 2 }], cut: false });
  });
});

describe('the files of the demo', () => {
  it('are listed without links and hidden ones, and read as text or bytes', async () => {
    const uris = (await client.resources.list().all()).map(({ uri }) => uri).filter((uri) => uri.startsWith('file:'));
    expect(uris.sort()).toEqual(['file:///bytes.bin', 'file:///deep/a%20b.txt', 'file:///large.txt']);
    expect((await client.resources.read('file:///deep/a%20b.txt')).contents).toMatchObject([{ text: 'spaced' }]);
    expect((await client.resources.read('file:///bytes.bin')).contents).toMatchObject([{ blob: '/wA=' }]);
  });

  it.each([
    '../secret.txt',
    '%2e%2e/secret.txt',
    'deep/../../secret.txt',
    '..%5csecret.txt',
    'link.txt',
    'up/secret.txt',
    '.hidden',
    'deep',
    'nothing.txt',
    '/etc/passwd',
    'a%00b',
    '%252e%252e/secret.txt',
    '%c0%ae%c0%ae/secret.txt',
    'fifo',
  ])('that are missing or outside the folder are not found: %s [S24]', async (path) => {
    const reading = client.resources.read(`file:///${path}`);
    await expect(reading).rejects.toMatchObject({ code: -32602 });
  });

  it('that are too large are refused with their size', async () => {
    const reading = client.resources.read('file:///large.txt');
    await expect(reading).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('1048577 bytes') });
  });

  it('complete by their path, and clients are notified of changed and new ones', async () => {
    const template = { type: 'ref/resource', uri: 'file:///{+path}' } as const;
    const { values } = await client.complete(template, { name: 'path', value: 'deep/' });
    expect(values).toEqual(['deep/a b.txt']);
    await using watching = await client.subscribe({ resourceSubscriptions: ['file:///deep/a%20b.txt'] });
    await writeFile(join(folder, 'deep', 'a b.txt'), 'changed');
    const { value: change } = await watching[Symbol.asyncIterator]().next();
    expect(change).toMatchObject({ uri: 'file:///deep/a%20b.txt' });
    await writeFile(join(folder, 'new.txt'), 'new');
    await vi.waitFor(async () => {
      const uris = (await client.resources.list().all()).map(({ uri }) => uri);
      expect(uris).toContain('file:///new.txt');
    });
  });
});
