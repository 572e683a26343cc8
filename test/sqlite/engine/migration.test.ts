/** Files that the version before the engine wrote: everything in them is found by the parts of a store. */
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { codecFor } from '../../../src/driver/open-codec.ts';
import { sqliteOf } from '../../../src/sqlite/database.ts';
import { openSqliteDriver } from '../../../src/sqlite/engine/driver.ts';
import { schemaVersion } from '../../../src/sqlite/engine/schema.ts';
import { migrations } from '../../../src/sqlite/schema.ts';
import { storeOn } from '../../../src/store/parts/parts.ts';
import { drivers } from '../fixtures/drivers.ts';
import { temporaryFile } from './fixtures/temporary-file.ts';

/** The time at which the files were written. */
const written = 1_800_000_001_000;
const secret = '0123456789abcdef0123456789abcdef-secret';
const files = [
  ['version-7.sql', undefined],
  ['version-7-encrypted.sql', { keys: [secret] }],
] as const;

/** A file with these tables; it is deleted after the test. */
function fileOf(sql: string): string {
  const { file, remove } = temporaryFile();
  onTestFinished(remove);
  const database = new (sqliteOf())(file);
  database.exec(sql);
  database.close();
  return file;
}

const dump = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');

const limits = { maxStreamChars: 400, maxSessionChars: 1000, maxTotalStoredChars: 5000, maxStreams: 10 };

describe.each(drivers.flatMap((driver) => files.map(([name, encryption]) => ({ driver, name, encryption }))))(
  '$name by $driver',
  ({ driver, name, encryption }) => {
    async function open() {
      const file = fileOf(dump(name));
      const clock = { now: written };
      const codec = codecFor(encryption);
      const engine = await openSqliteDriver(file, {
        driver,
        now: () => clock.now,
        async prepare(run) {
          const ran = await run('meta', [{ op: 'get', key: 'marker' }]);
          const [row] = (ran.failed === undefined ? ran.results : []) as readonly [{ data?: string } | undefined];
          codec.adopt(row?.data);
        },
      });
      onTestFinished(() => engine.close());
      const store = storeOn(engine, {
        codec,
        now: () => clock.now,
        onError: (cause) => {
          throw cause;
        },
        limits: {
          once: { maxKeys: 5, maxKeysPerOwner: 5, maxChars: 1e6, maxCharsPerOwner: 1e6 },
          credentials: { maxEntries: 1, lockTimeoutMs: 1000, lockLeaseMs: 1000 },
          maxConsents: 1,
          maxSlots: 100,
          maxAuthorizations: 100,
        },
      });
      return { file, clock, engine, store };
    }

    it('has its sessions and streams, with the epoch', async () => {
      const { store, engine, clock } = await open();
      expect(dump(name)).toContain(engine.epoch);
      expect(await store.sessions.read('ada')).toEqual({ head: '{"a":1}', 'uri:file:///x': 'ä 🌍' });
      expect(await store.sessions.read('gone')).toBeUndefined();
      expect(await store.events.readAfter('gone', '1', 0)).toBeUndefined();
      expect(await store.events.readAfter('ada', 'open', 0)).toEqual({
        from: 0,
        events: [
          { n: 1, data: 'first' },
          { n: 2, data: 'second' },
        ],
        ended: false,
        note: 'a note',
        change: 7,
      });
      expect(await store.events.append('ada', 'open', 'again', { ...limits, change: 7 })).toBe(0);
      expect(await store.events.append('ada', 'open', 'third', limits)).toBe(3);
      expect(await store.events.readAfter('ada', 'ended', 0)).toMatchObject({
        ended: true,
        events: [{ data: 'last' }],
      });
      expect(await store.events.append('ada', 'ended', 'more', limits)).toBeUndefined();
      expect(await store.events.readAfter('ada', 'held', 0)).toMatchObject({
        events: [
          { n: 1, data: 'small' },
          { n: 2, data: 'x'.repeat(1500) },
        ],
      });
      clock.now += 3_600_000;
      expect(await store.sessions.read('ada')).toBeUndefined();
      expect(await store.events.readAfter('ada', 'open', 0)).toBeUndefined();
    });

    it('has the keys that were used and the runs, which count', async () => {
      const { store, clock } = await open();
      const run = (holder: string) => ({ digest: 'digest', holder, leaseMs: 30_000, ttlMs: 600_000 });
      const expires = clock.now + 60_000;
      expect(await store.once.burn('nonce', expires)).toBe(false);
      expect(await store.once.burn('nonce of ada', expires, 'ada')).toBe(false);
      expect(await store.once.begin('ada', 'running', run('other'))).toEqual({ state: 'running', leaseMs: 29_000 });
      expect(await store.once.begin('ada', 'ended', run('other'))).toEqual({ state: 'ended', text: 'the result' });
      expect(await store.once.begin('', 'ended', run('x'))).toEqual({ state: 'ended', text: 'without an owner' });
      expect(await store.once.begin('ada', 'ended', { ...run('x'), digest: 'y' })).toEqual({ state: 'other' });
      expect(await store.once.end('ada', 'running', run('h1'), 'done')).toBe(true);
      expect(await store.once.end('ada', 'ended', run('h2'), 'the result')).toBe(true);
      // Those without an owner are counted apart: one was moved.
      for (const key of ['2', '3', '4', '5'])
        expect(await store.once.begin('', key, run('n'))).toEqual({ state: 'begun' });
      expect(await store.once.begin('', '6', run('n'))).toEqual({ state: 'full', limit: 'maxKeys' });
    });

    it('has rates and slots, credentials, answers of users and nodes', async () => {
      const { store } = await open();
      const bucket = { tokens: 1, perMs: 60_000, burst: 1 };
      expect(await store.limits.take([{ key: 'caller', cost: 1, bucket }])).toEqual({
        allowed: false,
        key: 'caller',
        retryAfterMs: 59_000,
      });
      const slots = [{ key: '🌍 slots', max: 1 }];
      expect(await store.limits.take([], { id: 'other', slots }, 1000)).toMatchObject({ allowed: false });
      await store.limits.release({ id: 'lease', slots });
      expect(await store.limits.take([], { id: 'other', slots }, 1000)).toEqual({ allowed: true });
      const credential = await store.credentials.read('server');
      expect(credential?.value).toEqual({ token: 'secret' });
      await expect(store.credentials.swap('second', undefined, {})).rejects.toThrow('1 credentials');
      expect(await store.credentials.swap('server', credential?.version, { token: 'next' })).toBe(true);
      expect(await store.consents.read('tool')).toMatchObject({ name: 'tool', shown: 's' });
      expect(await store.nodes.beat('node 2', 1000)).toEqual(['node 1', 'node 2']);
    });

    it('has its tasks with their journals, which workers take', async () => {
      const { store, clock } = await open();
      const { tasks } = await store.tasks.list('ada', undefined, 10);
      expect(tasks.map(({ data, isOver }) => [data, isOver])).toEqual([
        ['{"n":1}', false],
        ['{"n":2,"over":true}', true],
      ]);
      const [first, second] = tasks;
      expect(first).toMatchObject({
        owner: 'ada',
        kind: 'add@1',
        endsAt: written + 599_000,
        createdAt: written - 1000,
      });
      expect(await store.tasks.readJournal(second?.id ?? '', 0)).toEqual(['begin 2', 'end 2']);
      const room = { maxLive: 10, maxStored: 100, maxInShard: 100 };
      const again = {
        id: `${first?.id.slice(0, 1)}9`,
        owner: 'ada',
        kind: 'add@1',
        data: '',
        entries: [],
        endsInMs: 1,
      };
      expect(await store.tasks.create({ ...again, key: { name: 'key', digest: 'call' } }, room)).toMatchObject({
        isNew: false,
        task: { id: first?.id },
      });
      expect(await store.tasks.create({ ...again, key: { name: 'key', digest: 'x' } }, room)).toBe('other-call');
      expect(await store.tasks.create(again, { ...room, maxLive: 1 })).toBe('full');
      const taken = await store.tasks.take(['add@1'], 10, 'holder', 5000);
      expect(taken).toMatchObject([{ task: { id: first?.id, version: 'holder' }, entries: ['begin 1', 'more 1'] }]);
      clock.now = written + 30_000;
      expect((await store.tasks.take(['add@1'], 10, 'later', 5000)).map(({ task }) => task.data).sort()).toEqual([
        '{"n":1}',
        '{"n":3,"leased":true}',
      ]);
      clock.now = written + 300_000;
      expect(await store.tasks.read(second?.id ?? '')).toBeUndefined();
      clock.now = written + 599_000;
      expect(await store.tasks.takeEnding(10, 'end', 5000)).toHaveLength(2);
    });
  },
);

describe('A SQLite file', () => {
  it.each(migrations.map((_, version) => version + 1))('of version %i is migrated', async (version) => {
    const file = fileOf([...migrations.slice(0, version), `PRAGMA user_version = ${version}`].join(';\n'));
    const engine = await openSqliteDriver(file);
    expect(await engine.run('p', [{ op: 'put', key: 'a', version: '1' }])).toMatchObject({ results: [{ key: 'a' }] });
    await engine.close();
    const database = new (sqliteOf())(file);
    expect(database.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: schemaVersion });
    const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    expect(
      database
        .prepare(tables)
        .all()
        .map(({ name }) => name),
    ).toEqual('due entry item item_log item_logs lane member member_count message store token_bucket'.split(' '));
    database.close();
  });

  it.each(drivers)('of version 8 has its streams, by %s; only those begun since count for shares', async (driver) => {
    const engine = await openSqliteDriver(fileOf(dump('version-8.sql')), { driver, now: () => written });
    onTestFinished(() => engine.close());
    const [row, entries] = ['s', [{ data: 'x'.repeat(2000), chars: 2000 }]];
    const ran = await engine.run('session:ada', [
      { op: 'append', row, log: 'open', entries, share: 'ada' },
      { op: 'append', row, log: 'new', entries, share: 'ada' },
      { op: 'logs', row },
    ]);
    const names = ['open', 'ended', 'new'];
    const known = { rowChars: 4137, rowLogs: 3 };
    expect(ran).toMatchObject({ results: [{ count: 2 }, { count: 1 }, names.map((name) => ({ name, ...known }))] });
    const [share, ...others] = (await engine.logShares?.()) ?? [];
    expect([share?.share, others]).toEqual(['ada', []]);
    await engine.shrinkLogs?.(0, [{ share: 'ada', chars: 0 }], { partition: '', row: '', log: '' });
    const read = { op: 'entries', row, after: 0 } as const;
    expect(
      await engine.run(
        'session:ada',
        ['open', 'new'].map((log) => ({ ...read, log })),
      ),
    ).toMatchObject({
      results: [{ stored: 2, note: 'a note' }, { stored: 0 }],
    });
  });

  it('of a newer version is refused, and not changed', async () => {
    const file = fileOf('PRAGMA user_version = 999');
    await expect(openSqliteDriver(file)).rejects.toMatchObject({ code: 'store-too-new', details: { version: 999 } });
    const database = new (sqliteOf())(file);
    expect(database.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 999 });
    database.close();
  });

  it('whose migration fails stays as it was', async () => {
    const file = fileOf(`${dump('version-7.sql')}; DROP TABLE task_entry`);
    await expect(openSqliteDriver(file)).rejects.toMatchObject({ code: 'store-failed' });
    const database = new (sqliteOf())(file);
    expect(database.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 7 });
    expect(database.prepare('SELECT count(*) AS tasks FROM task').get()).toMatchObject({ tasks: 3 });
    database.close();
  });
});
