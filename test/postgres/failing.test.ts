/** A PostgreSQL that is slow, lost, restarted or not there: named errors within a bound, and recovery without a restart. */
import { inspect } from 'node:util';
import { openPostgresStore, type PostgresStoreOptions } from 'tenon/postgres';
import type { StoreDriver } from 'tenon/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openPostgresDriver } from '../../src/postgres/postgres-driver.ts';
import { deferred } from '../kit/deferred.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import {
  cutConnections,
  hasPostgres,
  type PostgresServer,
  patient,
  sql,
  startPostgres,
} from './fixtures/postgres-server.ts';

const put = (key: string, version: string) => [{ op: 'put', key, version, when: 'absent' } as const];
const get = (driver: StoreDriver, key: string) => Promise.resolve(driver.run('p', [{ op: 'get', key }]));
const isThere = (driver: StoreDriver, key: string): Promise<boolean> =>
  get(driver, key).then(
    (ran) => ran.failed === undefined && ran.results[0] !== undefined,
    () => false,
  );

describe.runIf(hasPostgres)('a store in PostgreSQL', () => {
  let server: PostgresServer;
  let driver: StoreDriver;
  const errors: unknown[] = [];
  let prepared = 0;
  let schema = 'failing_0';
  let schemas = 0;
  beforeAll(async () => {
    server = await startPostgres(['fsync=on']);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    errors.length = 0;
    prepared = 0;
    schema = `failing_${++schemas}`;
    driver = await openPostgresDriver(server.url, {
      schema,
      timeouts: { commandMs: 5000, connectMs: 60_000 },
      onError: (error) => errors.push(error),
      prepare: () => void prepared++,
    });
  });
  afterEach(() => driver.close());

  it('fails by name while PostgreSQL is away, and works again with its data when it is back [S20]', async () => {
    await driver.run('p', put('a', '1'));
    const { epoch } = driver;
    await server.kill();
    const away = { code: expect.stringMatching(/^store-(failed|timeout)$/) };
    await expect(get(driver, 'a')).rejects.toMatchObject(away);
    await expect(driver.run('p', put('b', '1'))).rejects.toMatchObject(away);
    await server.start();
    await vi.waitUntil(() => isThere(driver, 'a'), { timeout: 60_000 });
    expect(driver.epoch).toBe(epoch);
    expect(prepared).toBeGreaterThan(1);
    expect(errors).toEqual(
      expect.arrayContaining([expect.objectContaining({ code: expect.stringMatching(/^store-/) })]),
    );
  });

  it('says that messages may be lost after PostgreSQL was away, and delivers those that follow [S31]', async () => {
    const other = await openPostgresDriver(server.url, { schema, timeouts: patient });
    onTestFinished(() => other.close());
    const received: string[] = [];
    const missed = deferred();
    await driver.subscribe('a', (message) => received.push(message), missed.resolve);
    await server.kill();
    await server.start();
    await withTimeout(missed.promise, 'onMissed');
    const publish = () => Promise.resolve(other.run('p', [{ op: 'publish', topic: 'a', text: 'back' }])).catch(() => 0);
    await vi.waitUntil(async () => (await publish(), received.length > 0), { timeout: 60_000 });
    expect(received[0]).toBe('back');
  });

  it('delivers what was published while only the connection for messages was cut [S31]', async () => {
    const other = await openPostgresDriver(server.url, { schema, timeouts: patient });
    onTestFinished(() => other.close());
    const missed = deferred();
    const arrived = deferred();
    await other.subscribe('a', () => arrived.resolve(), missed.resolve);
    await cutConnections(server, 'listening');
    await driver.run('p', [{ op: 'publish', topic: 'a', text: 'during' }]);
    const first = Promise.race([missed.promise.then(() => true), arrived.promise.then(() => true)]);
    expect(await withTimeout(first, 'the message, or onMissed')).toBe(true);
  });

  it('fails with store-timeout when PostgreSQL does not answer, and the run may have happened', async () => {
    server.pause();
    await expect(driver.run('p', put('a', '1'))).rejects.toMatchObject({
      code: 'store-timeout',
      hint: expect.stringContaining('may have been carried out'),
    });
    server.resume();
    await vi.waitUntil(() => get(driver, 'a').then(Boolean, () => false), { timeout: 60_000 });
    expect(await get(driver, 'b')).toMatchObject({ results: [undefined] });
  });

  it('fails with store-busy when another holds the partition for too long', async () => {
    const hold = `BEGIN; SELECT pg_advisory_xact_lock(${schema}.lock_of('p')); SELECT pg_sleep(600); COMMIT`;
    const held = sql(server, hold).catch(() => undefined);
    const isHeld = `SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND granted`;
    await vi.waitUntil(async () => Number((await sql(server, isHeld))[0]?.n) > 0, { timeout: 60_000 });
    await expect(driver.run('p', put('a', '1'))).rejects.toMatchObject({ code: 'store-busy' });
    // A single read waits for no run.
    expect(await get(driver, 'a')).toMatchObject({ results: [undefined] });
    await cutConnections(server);
    await held;
  });

  it('is done once although every connection was cut in the middle [S20]', async () => {
    let version = 0;
    const write = async (): Promise<void> => {
      const own = `own ${++version}`;
      for (;;) {
        const ran = await Promise.resolve(
          driver.run('p', [
            { op: 'put', key: `row ${own}`, when: 'absent', version: own },
            { op: 'append', row: 'log', log: 'l', entries: [{ data: own, chars: 1 }] },
          ]),
        ).catch(() => undefined);
        if (ran !== undefined && (ran.failed === undefined || ran.row?.version === own)) return;
      }
    };
    const writing = Array.from({ length: 60 }, write);
    for (let times = 0; times < 4; times++) await cutConnections(server);
    await Promise.all(writing);
    const ran = await driver.run('p', [{ op: 'entries', row: 'log', log: 'l', after: 0 }]);
    const [log] = (ran.failed === undefined ? ran.results : []) as unknown as readonly {
      entries: { data: string }[];
    }[];
    expect(new Set(log?.entries.map(({ data }) => data)).size).toBe(60);
    expect(log?.entries).toHaveLength(60);
  });

  it('fails for good after it was closed', async () => {
    await driver.close();
    await expect(get(driver, 'a')).rejects.toMatchObject({ code: 'store-failed' });
    expect(errors).toEqual([]);
  });
});

describe('openPostgresStore()', () => {
  const refused = (url: string, options?: PostgresStoreOptions) =>
    openPostgresStore(url, options).catch((error: unknown) => error);

  it.each([
    'postgres://user:secret-password@127.0.0.1:99999/db',
    'postgres://user:secret-password@127.0.0.1/db?sslmode=prefer',
    'postgres://user:secret-password@127.0.0.1/db?unknown=1',
    'postgres://user:secret-password@127.0.0.1/db?sslmode=verify-full&sslrootcert=/no/such/file',
    'postgres://user:secret-password%zz@127.0.0.1/db',
    'postgres://user:secret-password@127.0.0.1/db?port=many',
    'postgres://user:12#secret-password@127.0.0.1/db',
    'postgres://user:12?secret-password@127.0.0.1/db',
    'postgres://user:12/secret-password@127.0.0.1/db',
    'redis://user:secret-password@127.0.0.1/db',
  ])('[S20] refuses the URL %s by name, and shows no password', async (url) => {
    const error = await refused(url);
    expect(error).toMatchObject({ code: 'invalid-argument', details: { place: 'url' } });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret-password');
    expect((error as Error).message).not.toContain('12');
  });

  it('[S20] names an address at which nothing listens, and shows no password', async () => {
    const error = await refused('postgres://user:secret-password@127.0.0.1:1/db');
    expect(error).toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('PostgreSQL at 127.0.0.1:1 cannot be reached: connect ECONNREFUSED'),
      hint: expect.stringContaining('PostgreSQL runs'),
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret-password');
  });

  it('names what is wrong with an option', async () => {
    const url = 'postgres://127.0.0.1:1/db';
    expect(await refused(url, { schmea: 'a' } as never)).toMatchObject({ message: expect.stringContaining('schema') });
    for (const schema of ['', 'a"b', "a'b", 'a$b', 'a'.repeat(51)])
      expect(await refused(url, { schema })).toMatchObject({ code: 'invalid-argument', details: { place: 'schema' } });
  });
});
