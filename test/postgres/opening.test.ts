/** Opening a store in PostgreSQL: schemas, privileges, TLS, poolers, and what the settings of the server give. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import type { StoreDriver } from 'tenon/store';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openPostgresDriver, type PostgresDriverOptions } from '../../src/postgres/postgres-driver.ts';
import { root } from '../architecture/source-tree.ts';
import { hasPostgres, type PostgresServer, patient, sql, startPostgres } from './fixtures/postgres-server.ts';
import { startTransactionPooler } from './fixtures/transaction-pooler.ts';

async function opened(url: string, options: PostgresDriverOptions = {}): Promise<StoreDriver> {
  const driver = await openPostgresDriver(url, { timeouts: patient, ...options });
  onTestFinished(() => driver.close());
  return driver;
}

const put = (key: string, version = '1') => ({ op: 'put', key, version }) as const;

describe.runIf(hasPostgres)('openPostgresDriver() of a PostgreSQL that runs', () => {
  let server: PostgresServer;
  let certificate: string;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-certificate-'));
    const made = ['-keyout', join(folder, 'key'), '-out', join(folder, 'cert'), '-subj', '/CN=localhost'];
    const names = ['-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...made, ...names], {
      stdio: 'ignore',
    });
    const files = { key: readFileSync(join(folder, 'key'), 'utf8'), cert: readFileSync(join(folder, 'cert'), 'utf8') };
    certificate = join(folder, 'cert');
    server = await startPostgres(['ssl=on', 'ssl_cert_file=../cert', 'ssl_key_file=../key'], files);
    return () => rmSync(folder, { recursive: true });
  });
  afterAll(() => server.close());

  it('[S20] makes the schema once, however many processes open it at once', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => opened(server.url, { schema: 'together' })));
    expect(new Set(all.map(({ epoch }) => epoch)).size).toBe(1);
  });

  it('[S20] keeps stores in two schemas of one database apart, messages included', async () => {
    const [one, other] = [await opened(server.url, { schema: 'one' }), await opened(server.url, { schema: 'O-ther' })];
    const received: string[] = [];
    await other.subscribe('t', (text) => received.push(text));
    await one.run('p', [put('a'), { op: 'publish', topic: 't', text: 'of one' }]);
    expect(await other.run('p', [{ op: 'get', key: 'a' }])).toMatchObject({ results: [undefined] });
    const own = new Promise<void>((resolve) => void other.subscribe('end', () => resolve()));
    const third = await opened(server.url, { schema: 'O-ther' });
    await third.run('p', [{ op: 'publish', topic: 'end', text: '' }]);
    await own;
    expect(received).toEqual([]);
  });

  it('[S20] brings a schema of version 1 to the newest, with its data', async () => {
    const first = await openPostgresDriver(server.url, { schema: 'older', timeouts: patient });
    const tokens = { op: 'tokens', key: 't', costMs: 600_000, fullMs: 1_000_000 } as const;
    await first.run('p', [{ ...put('a'), data: 'text', groups: [{ name: 'g' }] }, tokens]);
    await first.close();
    // What version 1 had there.
    await sql(server, 'DROP FUNCTION older.refusal_of_write(text, jsonb, float8)');
    await sql(server, 'ALTER TABLE older.bucket DROP COLUMN expires_at; DROP INDEX older.message_age');
    await sql(server, 'DROP FUNCTION older.expire(int, float8, float8)');
    await sql(
      server,
      `CREATE FUNCTION older.refusal_of_write(p text, op jsonb, moment float8) RETURNS jsonb LANGUAGE sql AS 'SELECT NULL::jsonb'`,
    );
    await sql(server, `UPDATE older.meta SET value = '1' WHERE name = 'version'`);
    const [one, other] = await Promise.all([1, 2].map(() => opened(server.url, { schema: 'older' })));
    const below = [{ group: 'g', chars: 4 }];
    for (const driver of [one, other])
      expect(await driver?.run('p', [{ ...put('b'), below }])).toMatchObject({ why: 'full', group: 'g' });
    // The bucket has what was taken of it, and is not deleted before it is full.
    await one?.sweep(10);
    expect(await other?.run('p', [tokens])).toMatchObject({ why: 'tokens' });
    expect(await one?.run('p', [{ ...tokens, costMs: 300_000 }])).toMatchObject({ results: [undefined] });
    expect(await sql(server, `SELECT value FROM older.meta WHERE name = 'version'`)).toEqual([{ value: '3' }]);
  });

  it('[S20] refuses a schema of a newer version by name, and does not change it', async () => {
    await (await openPostgresDriver(server.url, { schema: 'newer', timeouts: patient })).close();
    await sql(server, `UPDATE newer.meta SET value = '999' WHERE name = 'version'`);
    await expect(openPostgresDriver(server.url, { schema: 'newer', timeouts: patient })).rejects.toMatchObject({
      code: 'store-too-new',
      details: { version: 999 },
    });
    expect(await sql(server, `SELECT value FROM newer.meta WHERE name = 'version'`)).toEqual([{ value: '999' }]);
  });

  it('[S20] makes a schema in one transaction: one that fails leaves nothing behind', async () => {
    const tables = `SELECT tablename FROM pg_tables WHERE schemaname = 'half'`;
    await sql(server, 'CREATE SCHEMA half; CREATE TABLE half.bucket (own int)');
    const opening = () => openPostgresDriver(server.url, { schema: 'half', timeouts: patient });
    await expect(opening()).rejects.toMatchObject({ code: 'store-failed', details: { state: '42P07' } });
    expect(await sql(server, tables)).toEqual([{ tablename: 'bucket' }]);
    await sql(server, 'DROP TABLE half.bucket');
    await (await opening()).close();
  });

  it('[S20] names a wrong password, and does not show it', async () => {
    await sql(server, `CREATE ROLE guarded LOGIN PASSWORD 'the right one'`);
    const hba = join(server.folder, 'data/pg_hba.conf');
    const before = readFileSync(hba, 'utf8');
    const reload = async (text: string) => {
      writeFileSync(hba, text);
      await sql(server, 'SELECT pg_reload_conf()');
    };
    await reload(`host all guarded 127.0.0.1/32 scram-sha-256\n${before}`);
    onTestFinished(() => reload(before));
    const as = (password: string) => server.url.replace('tenon@', `guarded:${encodeURIComponent(password)}@`);
    const opening = (password: string) =>
      openPostgresDriver(as(password), { schema: 'guarded', timeouts: patient }).catch((error: unknown) => error);
    // The settings are read again at a moment of the server.
    const refused = await vi.waitUntil(async () => {
      const found = await opening('secret-password');
      return (found as { message?: string }).message?.includes('password authentication failed') && found;
    });
    expect(refused).toMatchObject({ code: 'store-failed', hint: expect.stringContaining('the password') });
    expect(inspect(refused, { depth: 9, showHidden: true })).not.toContain('secret-password');
  });

  it('[S20] works with a role that may use the schema, and not change it', async () => {
    await (await openPostgresDriver(server.url, { schema: 'granted', timeouts: patient })).close();
    await sql(server, grants('granted'));
    const driver = await opened(server.url.replace('tenon@', 'app@'), { schema: 'granted' });
    const taken = { partitions: ['p'], queues: ['q'], max: 1, holder: 'h', leaseMs: 1000, log: 'l' };
    await driver.run('p', [
      { ...put('a'), groups: [{ name: 'g', max: 1 }], due: [{ queue: 'q', inMs: 0 }], expiresInMs: 60_000 },
      { op: 'append', row: 'a', log: 'l', entries: [{ data: 'x', chars: 1 }] },
      { op: 'tokens', key: 't', costMs: 1, fullMs: 10 },
      { op: 'publish', topic: 't', text: 'long'.repeat(3000) },
    ]);
    expect(await driver.take(taken)).toMatchObject([{ row: { key: 'a' }, log: { count: 1 } }]);
    await driver.run('p', [
      { op: 'trim', row: 'a', steps: 'all' },
      { op: 'delete', key: 'a' },
    ]);
    expect(await driver.sweep(10)).toBe(0);
    const other = openPostgresDriver(server.url.replace('tenon@', 'app@'), { schema: 'another', timeouts: patient });
    await expect(other).rejects.toMatchObject({ code: 'store-failed', hint: expect.stringContaining('GRANT') });
  });

  it('[S20] sends messages of any length to other processes', async () => {
    const [one, other] = [await opened(server.url), await opened(server.url)];
    const received: string[] = [];
    const all = ['short', 'ü'.repeat(7000), '\0\ud800', 'x'.repeat(1_000_000), 'last'];
    const isDone = new Promise<void>((resolve) => {
      void other.subscribe('t', (text) => void (received.push(text) === all.length && resolve()));
    });
    for (const text of all) await one.run('p', [{ op: 'publish', topic: 't', text }]);
    await isDone;
    expect(new Set(received)).toEqual(new Set(all));
  });

  it('[S20] connects with TLS as sslmode says', async () => {
    const at = (mode: string, host = 'localhost') =>
      openPostgresDriver(`${server.url.replace('127.0.0.1', host)}?sslmode=${mode}`, {
        schema: 'tls',
        timeouts: patient,
      });
    const authority = `&sslrootcert=${certificate}`;
    for (const mode of ['require', `verify-ca${authority}`, `verify-full${authority}`]) {
      const driver = await at(mode);
      const used = await sql(
        server,
        `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'tenon%'`,
      );
      expect(used).toEqual([{ ssl: true }]);
      await driver.close();
    }
    await (await at(`verify-ca${authority}`, '127.0.0.1')).close();
    for (const [mode, host] of [['verify-full'], ['verify-ca'], [`verify-full${authority}`, '127.0.0.1']] as const)
      await expect(at(mode, host)).rejects.toMatchObject({
        code: 'store-failed',
        message: expect.stringContaining('cannot be reached'),
      });
  });

  it('[S20] names a pooler in transaction mode, where messages do not arrive', async () => {
    const pooler = await startTransactionPooler(server.url);
    onTestFinished(() => pooler.close());
    const opening = openPostgresDriver(pooler.url, { timeouts: { connectMs: 3000, commandMs: 60_000 } });
    await expect(opening).rejects.toMatchObject({
      code: 'store-failed',
      hint: expect.stringContaining('pool_mode = session'),
      details: { reason: 'pooler' },
    });
  });

  it.each([
    [['fsync=on'], 'disk'],
    [['fsync=on', 'full_page_writes=off'], 'process'],
    [['fsync=off'], 'process'],
    [['fsync=on', 'synchronous_commit=off'], 'memory'],
  ] as const)('[S20] with %j has the durability %s', async (settings, durability) => {
    const own = await startPostgres(settings);
    onTestFinished(() => own.close());
    const driver = await openPostgresDriver(own.url, { timeouts: patient });
    expect(driver.durability).toBe(durability);
    await driver.close();
    const needed = openPostgresDriver(own.url, { timeouts: patient, durability: 'disk' });
    const code = await needed.then(
      (enough) => enough.close().then(() => undefined),
      (error: { code: string; hint: string }) => error.hint.includes('`fsync') && error.code,
    );
    expect(code).toBe(durability === 'disk' ? undefined : 'store-not-durable');
  });

  it('[S20] calls prepare before anything else runs', async () => {
    const driver = await opened(server.url, {
      schema: 'prepared',
      prepare: async (run) => void (await run('meta', [{ ...put('marker'), when: 'absent' }])),
    });
    expect(await driver.run('meta', [{ op: 'get', key: 'marker' }])).toMatchObject({ results: [{ key: 'marker' }] });
  });
});

it('[S20] names the package pg where it is missing', async () => {
  const program = join(import.meta.dirname, 'fixtures/without-pg.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program]);
  expect(JSON.parse(stdout)).toEqual({ code: 'missing-package', hint: 'Run `npm install pg`.' });
});

/** The statements of the guide, for another schema. */
function grants(schema: string): string {
  const guide = readFileSync(join(root, 'docs/guide/stores.md'), 'utf8');
  const [, statements = ''] = /```sql\n(CREATE ROLE app .*?)```/s.exec(guide) ?? [];
  expect(statements.match(/GRANT .* TO app;/g)).toHaveLength(4);
  return statements.replaceAll('SCHEMA tenon', `SCHEMA ${schema}`);
}
