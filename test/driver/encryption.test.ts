/** Encryption at rest: nothing private is readable in a file, in Redis or in PostgreSQL, keys rotate, and what was changed is refused. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from 'tenon/postgres';
import { openRedisStore } from 'tenon/redis';
import { openSqliteStore } from 'tenon/sqlite';
import type { Store } from 'tenon/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectRedis } from '../../src/redis/connection.ts';
import { engineKeys } from '../../src/redis/engine/keys.ts';
import { sqliteOf } from '../../src/sqlite/database.ts';
import { sessionPartition, sessionRow } from '../../src/store/parts/sessions.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { hasPostgres, type PostgresServer, sql, startPostgres } from '../postgres/fixtures/postgres-server.ts';
import { hasRedis, patient, type RedisServer, startRedis } from '../redis/fixtures/redis-server.ts';
import { consentUntil } from '../store/consent-contract.ts';

const newest = 'the newest secret of these tests, long enough';
const older = 'an older secret of these tests, long enough';
const limits = { maxStreamChars: 1e6, maxSessionChars: 1e6, maxTotalStoredChars: 1e7, maxStreams: 10 };
const inAnHour = (): number => Date.now() + 3_600_000;

type OpenedStore = Required<Pick<Store, 'sessions' | 'events' | 'bus' | 'once' | 'consents' | 'credentials'>> & {
  readonly limits: NonNullable<Awaited<ReturnType<typeof openSqliteStore>>['limits']>;
  close(): Promise<void>;
};

/** One place that stores are opened at, and what is found there. */
interface Place {
  open(keys?: readonly string[], onError?: (error: unknown) => void): Promise<OpenedStore>;
  /** What was planted and is not stored there at all. */
  readonly notStored: readonly string[];
  /** All bytes that are stored, as text. */
  bytes(): Promise<string>;
  /** Changes one stored value of a session record. Without `change`, the value of another field is put there. */
  tamper(key: string, change?: (text: string) => string): Promise<void>;
  /** Puts the only event of one stream in the place of that of another. */
  moveEvent(from: string, to: string): Promise<void>;
  remove(): void | Promise<void>;
}

/** Stores a canary wherever something private can be, and returns the canaries. */
async function plant(store: OpenedStore): Promise<readonly string[]> {
  const until = inAnHour();
  await store.sessions.create('a', { head: 'canary-field', 'watch file:///canary-uri': '' }, until);
  await store.sessions.update('a', { level: 'canary-update' });
  await store.events.append('a', '1', 'canary-event', limits, 'canary-note');
  await store.events.end('a', '1', { events: ['canary-last'], limits });
  await store.bus.subscribe('topic', () => undefined);
  await store.bus.publish('topic', 'canary-message');
  await store.once.burn('canary-burnt', until, 'canary-owner');
  const run = { digest: 'canary-digest', holder: 'h', leaseMs: 60_000, ttlMs: 60_000 };
  await store.once.begin('canary-runner', 'canary-run', run);
  await store.once.end('canary-runner', 'canary-run', run, 'canary-result');
  await store.limits.take(
    [{ key: 'perPrincipal/canary-principal', cost: 1, bucket: { tokens: 1, perMs: 3_600_000, burst: 1 } }],
    { id: 'lease', slots: [{ key: 'perAddress/canary-address', max: 1 }] },
    60_000,
  );
  await store.consents.write('canary-consent-key', consentUntil(until, { rule: 'canary-rule' }));
  await store.credentials.swap('canary-issuer', undefined, { accessToken: 'canary-token' });
  return [
    'field',
    'uri',
    'update',
    'event',
    'note',
    'last',
    'message',
    'burnt',
    'owner',
    'digest',
    'runner',
    'run',
    'result',
    'principal',
    'address',
    'consent-key',
    'rule',
    'issuer',
    'token',
  ].map((name) => `canary-${name}`);
}

function testEncryption(name: string, start: () => Promise<Place>): void {
  describe(`Encryption of a store ${name}`, () => {
    it('leaves nothing private readable where it is stored, and everything readable through the store [S20, S33]', async () => {
      const [plain, place] = [await start(), await start()];
      const clear = await plain.open();
      const planted = await plant(clear);
      const store = await place.open([newest]);
      await plant(store);
      const readable = await plain.bytes();
      // The test can find what is there.
      expect(planted.filter((canary) => !readable.includes(canary))).toEqual(plain.notStored);
      const bytes = await place.bytes();
      expect(planted.filter((canary) => bytes.includes(canary))).toEqual([]);
      for (const secret of [newest, Buffer.from(newest).toString('base64')]) expect(bytes).not.toContain(secret);
      const fields = { head: 'canary-field', 'watch file:///canary-uri': '', level: 'canary-update' };
      expect(await store.sessions.read('a')).toEqual(fields);
      expect(await store.events.readAfter('a', '1', 0)).toMatchObject({
        events: [{ data: 'canary-event' }, { data: 'canary-last' }],
        note: 'canary-note',
      });
      expect((await store.credentials.read('canary-issuer'))?.value).toEqual({ accessToken: 'canary-token' });
      await Promise.all([clear.close(), store.close()]);
      await Promise.all([plain.remove(), place.remove()]);
    });

    it('reads with older keys, writes with the newest, and counts limits and used keys on across a rotation [S20, S33]', async () => {
      const place = await start();
      const before = await place.open([older]);
      await plant(before);
      const rotated = await place.open([newest, older]);
      expect(await rotated.sessions.read('a')).toMatchObject({ head: 'canary-field' });
      expect(await rotated.once.burn('canary-burnt', inAnHour(), 'canary-owner')).toBe(false);
      const run = { digest: 'canary-digest', holder: 'other', leaseMs: 60_000, ttlMs: 60_000 };
      expect(await rotated.once.begin('canary-runner', 'canary-run', run)).toEqual({
        state: 'ended',
        text: 'canary-result',
      });
      const claim = { key: 'perPrincipal/canary-principal', cost: 1 };
      const bucket = { tokens: 1, perMs: 3_600_000, burst: 1 };
      expect(await rotated.limits.take([{ ...claim, bucket }])).toMatchObject({ allowed: false, key: claim.key });
      // A field that is written again replaces the one of the older key.
      await rotated.sessions.update('a', { head: 'new', level: undefined });
      expect(await rotated.sessions.read('a')).toEqual({ head: 'new', 'watch file:///canary-uri': '' });
      await expect(async () => before.sessions.read('a')).rejects.toMatchObject({ code: 'store-key-missing' });

      await rotated.sessions.create('b', { head: 'written by the newest' }, inAnHour());
      const after = await place.open([newest]);
      expect(await after.sessions.read('b')).toEqual({ head: 'written by the newest' });
      await expect(async () => after.sessions.read('a')).rejects.toMatchObject({ code: 'store-key-missing' });
      await expect(after.credentials.read('canary-issuer')).rejects.toMatchObject({ code: 'store-key-missing' });
      await Promise.all([before.close(), rotated.close(), after.close()]);
      await place.remove();
    });

    it('refuses to open an encrypted store without its key, and a plain one with keys [S20, S33]', async () => {
      const [place, plain] = [await start(), await start()];
      await (await place.open([newest])).close();
      for (const keys of [undefined, [older]])
        await expect(place.open(keys)).rejects.toMatchObject({
          code: 'store-key-missing',
          hint: expect.stringContaining('encryption.keys'),
        });
      const clear = await plain.open();
      await clear.sessions.create('a', { head: 'x' }, inAnHour());
      await expect(plain.open([newest])).rejects.toMatchObject({ code: 'store-not-encrypted' });
      expect(await clear.sessions.read('a')).toEqual({ head: 'x' });
      await clear.close();
      await Promise.all([place.remove(), plain.remove()]);
    });

    it('refuses a value with any character changed, cut, or not encrypted, and names no key of it [S20, S33]', async () => {
      const place = await start();
      const store = await place.open([newest]);
      const flip = (text: string, at: number): string => {
        const other = text.at(at) === 'A' ? 'B' : 'A';
        return text.slice(0, at) + other + text.slice(at + 1);
      };
      const changes: readonly ((text: string) => string)[] = [
        ...[20, 40, 60, 90].map((at) => (text: string) => flip(text, at)),
        (text) => flip(text, text.length - 1),
        (text) => text.slice(0, -4),
        (text) => `${text}AAAA`,
        () => '["head","forged"]',
        () => '',
      ];
      for (const change of changes) {
        await store.sessions.create('secret-key-of-a-session', { head: 'x' }, inAnHour());
        await place.tamper('secret-key-of-a-session', change);
        const error = await Promise.resolve()
          .then(() => store.sessions.read('secret-key-of-a-session'))
          .catch((caught: unknown) => caught);
        expect(error).toMatchObject({ code: 'store-tampered', details: { what: 'session field' } });
        expect(JSON.stringify([error, String(error)])).not.toMatch(/secret-key|forged/);
      }
      await store.close();
      await place.remove();
    });

    it('refuses a value of an unknown key, and one that was moved from another key [S20, S33]', async () => {
      const place = await start();
      const store = await place.open([newest]);
      await store.sessions.create('a', { head: 'x' }, inAnHour());
      await place.tamper('a', (text) => text.replace(/^tnenc1\.[^.]+/, 'tnenc1.AAAAAAAA'));
      await expect(async () => store.sessions.read('a')).rejects.toMatchObject({ code: 'store-key-missing' });
      await store.sessions.create('b', { head: 'of an admin', level: 'of a user' }, inAnHour());
      await place.tamper('b');
      await expect(async () => store.sessions.read('b')).rejects.toMatchObject({ code: 'store-tampered' });
      await store.events.append('a', '1', 'one', limits);
      await store.events.append('a', '2', 'other', limits);
      await place.moveEvent('1', '2');
      await expect(async () => store.events.readAfter('a', '2', 0)).rejects.toMatchObject({ code: 'store-tampered' });
      await store.close();
      await place.remove();
    });

    it('reports a message of a process with other keys, and counts it as lost [S20, S33]', async () => {
      const place = await start();
      const errors: unknown[] = [];
      const both = await place.open([older, newest]);
      const receiver = await place.open([older, newest], (error) => errors.push(error));
      const rotated = await place.open([newest, older]);
      const received: string[] = [];
      const all = new Promise<void>((resolve) => {
        void receiver.bus.subscribe('a', (message) => void (received.push(message) === 2 && resolve()));
      });
      await receiver.bus.publish('other', '');
      await both.bus.publish('a', '1');
      await rotated.bus.publish('a', '2');
      await withTimeout(all, 'messages of both keys');
      // They have different publishers, so either may be first.
      expect([received.toSorted(), errors]).toEqual([['1', '2'], []]);
      const alone = await place.open([newest], (error) => errors.push(error));
      const missed = new Promise<void>((resolve) => void alone.bus.subscribe('a', () => undefined, resolve));
      await alone.bus.publish('other', '');
      await both.bus.publish('a', '3');
      await withTimeout(missed, 'the report of a lost message');
      expect(errors).toMatchObject([{ code: 'store-key-missing' }]);
      await Promise.all([both, rotated, receiver, alone].map((store) => store.close()));
      await place.remove();
    });
  });
}

testEncryption('in a SQLite file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-sqlite-'));
  const file = join(folder, 'store.db');
  const run = (sql: string, ...values: string[]): void => {
    const raw = new (sqliteOf())(file);
    raw.prepare(sql).run(...values);
    raw.close();
  };
  return {
    notStored: [],
    open: (keys, onError) =>
      openSqliteStore(file, { ...(keys && { encryption: { keys } }), ...(onError && { onError }) }),
    bytes: async () =>
      readdirSync(folder)
        .map((one) => readFileSync(join(folder, one), 'latin1'))
        .join(''),
    async tamper(key, change) {
      const raw = new (sqliteOf())(file);
      const partition = sessionPartition(key);
      const text = raw.prepare('SELECT fields FROM item WHERE partition = ?').get(partition)?.fields as string;
      raw.close();
      const fields = Object.entries(JSON.parse(text) as Record<string, string>);
      const changed = fields.map(([name, value], n) => [name, change ? change(value) : fields[(n + 1) % 2]?.[1]]);
      run('UPDATE item SET fields = ? WHERE partition = ?', JSON.stringify(Object.fromEntries(changed)), partition);
    },
    async moveEvent(from, to) {
      const entryOf = 'SELECT data FROM entry JOIN item_log ON log = id WHERE name = ?';
      run(`UPDATE entry SET data = (${entryOf}) WHERE log = (SELECT id FROM item_log WHERE name = ?)`, from, to);
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
});

describe.runIf(hasRedis)('With a Redis', () => {
  let server: RedisServer;
  let prefixes = 0;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  testEncryption('in Redis', async () => {
    const prefix = `test${prefixes++}:`;
    const admin = await connectRedis(server.url, { ...patient, onError: () => undefined });
    return {
      // Redis passes messages on; used keys have no owner there.
      notStored: ['canary-message'],
      open: (keys, onError) =>
        openRedisStore(server.url, {
          prefix,
          timeouts: patient,
          ...(keys && { encryption: { keys } }),
          ...(onError && { onError }),
        }),
      async bytes() {
        const names = (await admin.keys('*')).filter((one) => one.includes(prefix));
        const dumps = await Promise.all(names.map((one) => admin.dumpBuffer(one)));
        // Long texts are compressed in a dump: commands read them as they are.
        const { port } = new URL(server.url);
        const read = (one: string, ...command: string[]) =>
          spawnSync('redis-cli', ['-p', port, ...command.slice(0, 1), one, ...command.slice(1)], { encoding: 'latin1' })
            .stdout;
        const texts = names.map(
          (one) =>
            read(one, 'HGETALL') + read(one, 'GET') + read(one, 'ZRANGE', '0', '-1') + read(one, 'LRANGE', '0', '-1'),
        );
        return [...names, ...dumps.map((dump) => dump?.toString('latin1')), ...texts].join('\n');
      },
      async tamper(key, change) {
        const name = `${engineKeys(prefix, () => false).partition(sessionPartition(key))}r:${sessionRow}`;
        const fields = Object.entries(await admin.hgetall(name)).filter(([field]) => field.startsWith('.'));
        for (const [n, [field, value]] of fields.entries())
          await admin.hset(name, field, change ? change(value) : (fields[(n + 1) % 2]?.[1] ?? ''));
      },
      async moveEvent(from, to) {
        const name = `${engineKeys(prefix, () => false).partition(sessionPartition('a'))}l:${sessionRow}`;
        await admin.hset(name, `#${to}\0${1}`, (await admin.hget(name, `#${from}\0${1}`)) ?? '');
      },
      remove: () => admin.disconnect(),
    };
  });
});

describe.runIf(hasPostgres)('With a PostgreSQL', () => {
  let server: PostgresServer;
  let schemas = 0;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  testEncryption('in PostgreSQL', async () => {
    const schema = `test${schemas++}`;
    const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
    return {
      // As in Redis; a message is stored only if it is long.
      notStored: ['canary-message'],
      open: (keys, onError) =>
        openPostgresStore(server.url, {
          schema,
          timeouts: patient,
          ...(keys && { encryption: { keys } }),
          ...(onError && { onError }),
        }),
      async bytes() {
        const of = (table: string) => sql(server, `SELECT t::text AS row FROM ${schema}.${table} t`);
        const tables = await sql(server, `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}'`);
        return JSON.stringify(await Promise.all(tables.map(({ name }) => of(String(name)))));
      },
      async tamper(key, change) {
        const where = `WHERE partition = ${quoted(sessionPartition(key))} AND key = '${sessionRow}'`;
        const [row] = await sql(server, `SELECT fields FROM ${schema}.item ${where}`);
        const fields = Object.entries(row?.fields as Record<string, string>);
        const changed = fields.map(([name, value], n) => [name, change ? change(value) : fields[(n + 1) % 2]?.[1]]);
        const json = quoted(JSON.stringify(Object.fromEntries(changed)));
        await sql(server, `UPDATE ${schema}.item SET fields = ${json} ${where}`);
      },
      async moveEvent(from, to) {
        const data = `SELECT data FROM ${schema}.entry JOIN ${schema}.log ON log = id WHERE name = '${from}'`;
        const into = `SELECT id FROM ${schema}.log WHERE name = '${to}'`;
        await sql(server, `UPDATE ${schema}.entry SET data = (${data}) WHERE log = (${into})`);
      },
      remove: () => undefined,
    };
  });
});

describe('The option encryption', () => {
  it('is refused by name with a short secret, without quoting it, and with a wrong form', async () => {
    const short = 'hush-hush';
    const error = await openSqliteStore('none.db', { encryption: { keys: [newest, short] } }).catch((one) => one);
    expect(error).toMatchObject({ code: 'invalid-argument', hint: expect.stringContaining('32 characters') });
    expect(String(error)).toContain('encryption.keys[1]');
    expect(JSON.stringify([error, String(error)])).not.toContain(short);
    for (const encryption of [{}, { keys: [] }, { keys: newest }, { key: [newest] }, [newest]])
      await expect(openRedisStore('redis://127.0.0.1:1', { encryption } as never)).rejects.toMatchObject({
        code: 'invalid-argument',
        message: expect.stringContaining('encryption'),
      });
  });
});
