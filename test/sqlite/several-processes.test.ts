/** One SQLite file that several connections and processes use. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openSqliteStore, type SqliteStoreOptions } from 'tenon/sqlite';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sqliteOf } from '../../src/sqlite/database.ts';
import { withTimeout } from '../kit/with-timeout.ts';
import { drivers } from './fixtures/drivers.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-sqlite-'));
  file = join(folder, 'deep', 'store.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (options?: SqliteStoreOptions) => openSqliteStore(file, options);
const later = () => Date.now() + 60_000;
const limits = { maxStreamChars: 1e6, maxSessionChars: 1e6, maxTotalStoredChars: 1e7, maxStreams: 10 };

describe('A SQLite file', () => {
  it('has what was stored when it is opened again, with the same epoch', async () => {
    const first = await open();
    await first.sessions.create('a', { head: 'x' }, later());
    await first.events.append('a', '1', 'event', limits);
    await first.once.burn('key', later());
    const { epoch } = first.sessions;
    await first.close();
    const second = await open();
    expect(second.sessions.epoch).toBe(epoch);
    expect(await second.sessions.read('a')).toEqual({ head: 'x' });
    expect(await second.events.readAfter('a', '1', 0)).toMatchObject({ events: [{ n: 1, data: 'event' }] });
    expect(await second.once.burn('key', later())).toBe(false);
    await second.close();
  });

  it.each(drivers.flatMap((one) => drivers.map((other) => [one, other] as const)))(
    'that %s wrote is read by %s',
    async (one, other) => {
      const first = await open({ driver: one });
      await first.sessions.create('a', { head: 'ä 🌍' }, later());
      const second = await open({ driver: other });
      expect(await second.sessions.read('a')).toEqual({ head: 'ä 🌍' });
      await second.sessions.update('a', { level: 'debug' });
      expect(await first.sessions.read('a')).toEqual({ head: 'ä 🌍', level: 'debug' });
      await Promise.all([first.close(), second.close()]);
    },
  );

  it('carries messages from one connection to subscribers of another, in order', async () => {
    const [first, second] = await Promise.all([open(), open()]);
    const received: string[] = [];
    const all = new Promise<void>((resolve) => {
      void second.bus.subscribe('a', (message) => received.push(message) === 3 && resolve());
    });
    for (const message of ['1', '2', '3']) await first.bus.publish('a', message);
    await withTimeout(all, 'three messages');
    expect(received).toEqual(['1', '2', '3']);
    await Promise.all([first.close(), second.close()]);
  });

  it('shows the epoch of a store that was cleared by another connection', async () => {
    const [first, second] = await Promise.all([open(), open()]);
    const { epoch } = second.sessions;
    const received = new Promise<void>((resolve) => void second.bus.subscribe('a', () => resolve()));
    await first.clear();
    await first.bus.publish('a', '');
    await withTimeout(received, 'a message after the change');
    expect(second.sessions.epoch).not.toBe(epoch);
    expect(second.sessions.epoch).toBe(first.sessions.epoch);
    await Promise.all([first.close(), second.close()]);
  });

  describe('whose write lock another connection holds', () => {
    const hold = () => {
      const other = new (sqliteOf())(file);
      other.exec('BEGIN IMMEDIATE');
      return {
        release: () => {
          other.exec('ROLLBACK');
          other.close();
        },
      };
    };

    it('is read meanwhile, and written when the lock is free, in the order of the calls', async () => {
      const store = await open();
      await store.sessions.create('a', { head: 'x' }, later());
      const lock = hold();
      expect(await store.sessions.read('a')).toEqual({ head: 'x' });
      const numbers = Promise.all(['x', 'y', 'z'].map((data) => store.events.append('a', '1', data, limits)));
      const read = store.events.readAfter('a', '1', 0);
      lock.release();
      expect(await numbers).toEqual([1, 2, 3]);
      expect((await read)?.events.map(({ data }) => data)).toEqual(['x', 'y', 'z']);
      await store.close();
    });

    it('fails with store-busy after busyMs, and works again afterwards', async () => {
      const store = await open({ busyMs: 30 });
      const lock = hold();
      await expect(async () => store.sessions.create('a', {}, later())).rejects.toMatchObject({
        code: 'store-busy',
        hint: expect.stringContaining('process'),
      });
      lock.release();
      await store.sessions.create('a', {}, later());
      expect(await store.sessions.read('a')).toEqual({});
      await store.close();
    });

    it('[S20] carries out no write after its busyMs, which begin with the call, however many wait before it', async () => {
      const store = await open({ busyMs: 1000 });
      let moment = performance.now();
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => moment);
      onTestFinished(() => clock.mockRestore());
      const lock = hold();
      const create = async (key: string) => store.sessions.create(key, {}, later());
      const first = create('a').finally(lock.release);
      const others = Promise.allSettled([create('b'), create('c')]);
      moment += 1000;
      await expect(first).rejects.toMatchObject({ code: 'store-busy' });
      expect((await others).map((each) => (each as PromiseRejectedResult).reason?.code)).toEqual([
        'store-busy',
        'store-busy',
      ]);
      expect(await store.sessions.read('b')).toBeUndefined();
      await store.close();
    });
  });

  it.runIf(process.platform !== 'win32')('[S20] is readable by its user alone, with the files beside it', async () => {
    const store = await open();
    await store.sessions.create('a', {}, later());
    const modes = readdirSync(dirname(file)).map((name) => statSync(join(dirname(file), name)).mode & 0o777);
    expect(modes.length).toBeGreaterThan(1);
    expect(new Set(modes)).toEqual(new Set([0o600]));
    await store.close();
  });

  it('of a newer version is refused, and not changed', async () => {
    await (await open()).close();
    const raw = new (sqliteOf())(file);
    raw.exec('PRAGMA user_version = 999');
    await expect(open()).rejects.toMatchObject({ code: 'store-too-new', details: { version: 999 } });
    expect(raw.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 999 });
    raw.close();
  });

  it('that is no database is refused by name, and fails after it was closed', async () => {
    await expect(openSqliteStore(folder)).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining(folder),
    });
    const store = await open();
    await store.close();
    await store.close();
    await expect(async () => store.sessions.read('a')).rejects.toMatchObject({ code: 'store-failed' });
  });

  it('takes only options that exist', async () => {
    await expect(open({ busyms: 3 } as never)).rejects.toThrow('busyMs');
    await expect(open({ driver: 'better-sqlite3' } as never)).rejects.toThrow("'node:sqlite' or 'libsql'");
  });
});
