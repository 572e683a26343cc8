/** What the SQLite engine does with its file: rights, locks, other processes, a clock that never falls. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sqliteOf } from '../../../src/sqlite/database.ts';
import { openSqliteDriver, type SqliteDriverOptions } from '../../../src/sqlite/engine/driver.ts';
import type { Log, Op, Ran, Row } from '../../../src/store/driver.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { drivers } from '../fixtures/drivers.ts';

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'deep', 'store.db');
}

async function open(file: string, options: SqliteDriverOptions = {}) {
  const driver = await openSqliteDriver(file, options);
  onTestFinished(() => driver.close());
  return driver;
}

const put = (key: string, more: object = {}): Op => ({ op: 'put', key, version: '1', ...more });
const get = (key: string): Op => ({ op: 'get', key });

const resultsOf = <T>(ran: Ran): T => (ran.failed === undefined ? ran.results : []) as T;

describe('A SQLite file of the engine', () => {
  it('has what was stored when it is opened again, with the same epoch', async () => {
    const file = newFile();
    const first = await openSqliteDriver(file);
    await first.run('p', [put('a', { data: 'x' })], 'disk');
    const { epoch } = first;
    await first.close();
    const second = await open(file);
    expect(second.epoch).toBe(epoch);
    expect(await second.run('p', [get('a')])).toMatchObject({ results: [{ data: 'x' }] });
  });

  it.each(drivers.flatMap((one) => drivers.map((other) => [one, other] as const)))(
    'that %s wrote is read by %s',
    async (one, other) => {
      const file = newFile();
      const [first, second] = [await open(file, { driver: one }), await open(file, { driver: other })];
      await first.run('p', [put('a', { fields: { text: 'ä 🌍' } })]);
      await second.run('p', [put('a', { fields: { more: '1' } })]);
      expect(await first.run('p', [get('a')])).toMatchObject({ results: [{ fields: { text: 'ä 🌍', more: '1' } }] });
    },
  );

  it('answers at once, unless a run has to be on disk', async () => {
    const driver = await open(newFile());
    expect(driver.run('p', [put('a')])).not.toBeInstanceOf(Promise);
    expect(driver.run('p', [get('a')])).not.toBeInstanceOf(Promise);
    expect(driver.run('p', [put('a')], 'disk')).toBeInstanceOf(Promise);
    expect(driver.durability).toBe('disk');
    expect((await open(newFile(), { durability: 'process' })).durability).toBe('process');
  });

  it('has a clock that goes on where it was when the file is opened again and the machine was set back', async () => {
    const file = newFile();
    const first = await openSqliteDriver(file, { now: () => 9_000_000 });
    await first.run('p', [put('a', { expiresInMs: 1000 })]);
    await first.close();
    let now = 1_000_000;
    const second = await open(file, { now: () => now });
    expect(await second.run('p', [get('a')])).toMatchObject({ now: 9_000_000, results: [{ key: 'a' }] });
    now += 2000;
    expect(await second.run('p', [get('a')])).toMatchObject({ now: 9_002_000, results: [undefined] });
  });

  it('has one clock for all its processes, also for one that was idle while others went on and the machine was set back', async () => {
    const file = newFile();
    let machine = 1_000_000;
    const now = () => machine;
    const [idle, busy] = [await open(file, { now }), await open(file, { now })];
    const { now: began } = await idle.run('p', [put('a', { expiresInMs: 60_000 })]);
    machine += 120_000;
    await busy.run('p', [put('c')]);
    machine -= 3_600_000;
    expect(await idle.run('p', [get('a')])).toEqual({ now: began + 120_000, results: [undefined] });
    machine += 60_000;
    expect(await idle.run('p', [get('a')])).toMatchObject({ now: began + 180_000 });
  });

  it('is prepared before anything else runs; where that fails, it is closed', async () => {
    const file = newFile();
    const driver = await open(file, {
      prepare: async (run) => void (await run('meta', [put('marker', { data: 'm' })])),
    });
    expect(await driver.run('meta', [get('marker')])).toMatchObject({ results: [{ data: 'm' }] });
    const failing = openSqliteDriver(file, { prepare: () => Promise.reject(new Error('not the key')) });
    await expect(failing).rejects.toThrow('not the key');
  });

  it.runIf(process.platform !== 'win32')('[S20] is readable by its user alone, with the files beside it', async () => {
    const file = newFile();
    const driver = await open(file);
    await driver.run('p', [put('a')]);
    const modes = readdirSync(dirname(file)).map((name) => statSync(join(dirname(file), name)).mode & 0o777);
    expect(modes.length).toBeGreaterThan(1);
    expect(new Set(modes)).toEqual(new Set([0o600]));
  });

  it('that is no database is refused by name, and fails after it was closed', async () => {
    const folder = dirname(dirname(newFile()));
    await expect(openSqliteDriver(folder)).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining(folder),
    });
    const driver = await open(newFile());
    await driver.close();
    expect(() => driver.run('p', [get('a')])).toThrow('closed');
    await expect(driver.run('p', [put('a')], 'disk')).rejects.toMatchObject({ code: 'store-failed' });
  });

  it('shows the epoch of a file that another connection has cleared', async () => {
    const file = newFile();
    const [first, second] = [await open(file), await open(file)];
    const { epoch } = second;
    const received = new Promise<void>((resolve) => void second.subscribe('a', () => resolve()));
    await first.clear();
    await first.run('p', [{ op: 'publish', topic: 'a', text: '' }]);
    await withTimeout(received, 'a message after the change');
    expect(second.epoch).not.toBe(epoch);
    expect(second.epoch).toBe(first.epoch);
  });

  describe.runIf(process.platform !== 'win32').each(drivers)('that is open by %s', (which) => {
    const lost = (file: string) => ({
      code: 'store-failed',
      message: expect.stringContaining(file),
      hint: expect.stringContaining('Stop all processes'),
    });
    const take = { partitions: ['p'], queues: ['q'], max: 1, holder: 'h', leaseMs: 1000 };

    async function opened() {
      const file = newFile();
      const driver = await open(file, { driver: which });
      await driver.run('p', [put('a', { data: 'x' })], 'disk');
      let later = 0;
      const real = performance.now.bind(performance);
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + later);
      onTestFinished(() => clock.mockRestore());
      return { file, driver, pass: (ms: number) => void (later += ms) };
    }

    it.each(['', '-wal', '-shm'])(
      'fails its writes by name when "store.db%s" is deleted, and is read until then [S20]',
      async (end) => {
        const { file, driver, pass } = await opened();
        rmSync(`${file}${end}`);
        await expect(driver.run('p', [put('a', { data: 'y' })], 'disk')).rejects.toMatchObject(lost(`${file}${end}`));
        pass(100);
        await expect(async () => driver.run('p', [put('a', { data: 'y' })])).rejects.toMatchObject(lost(file));
        await expect(async () => driver.take(take)).rejects.toMatchObject(lost(file));
        expect(await driver.run('p', [get('a')])).toMatchObject({ results: [{ data: 'x' }] });
      },
    );

    it('fails its writes when another process has made a new file in its place', async () => {
      const { file, driver } = await opened();
      for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`);
      const other = await open(file, { driver: which });
      await other.run('p', [put('b')], 'disk');
      await expect(driver.run('p', [put('b')], 'disk')).rejects.toMatchObject(lost(file));
    });

    it('is written again when a file that was moved away is back', async () => {
      const { file, driver } = await opened();
      renameSync(file, `${file}.away`);
      await expect(driver.run('p', [put('b')], 'disk')).rejects.toMatchObject(lost(file));
      renameSync(`${file}.away`, file);
      await driver.run('p', [put('b', { data: 'z' })], 'disk');
      expect(await driver.run('p', [get('b')])).toMatchObject({ results: [{ data: 'z' }] });
    });
  });

  describe('whose write lock another connection holds', () => {
    function hold(file: string) {
      const other = new (sqliteOf())(file);
      other.exec('BEGIN IMMEDIATE');
      return () => {
        other.exec('ROLLBACK');
        other.close();
      };
    }

    it('is read meanwhile, and written when the lock is free, in the order of the calls', async () => {
      const file = newFile();
      const driver = await open(file);
      await driver.run('p', [put('a')]);
      const release = hold(file);
      expect(await driver.run('p', [get('a')])).toMatchObject({ results: [{ key: 'a' }] });
      const append = (data: string): Op => ({ op: 'append', row: 'a', log: 'l', entries: [{ data, chars: 1 }] });
      const runs = Promise.all(['x', 'y', 'z'].map((data) => driver.run('p', [append(data)])));
      const strict = Promise.all(['1', '2'].map((key) => driver.run('p', [put(key)], 'disk')));
      release();
      expect((await runs).map((ran) => resultsOf<[Log]>(ran)[0].count)).toEqual([1, 2, 3]);
      const [one, two] = (await strict).map((ran) => resultsOf<[Row]>(ran)[0].number);
      expect(two).toBeGreaterThan(one as number);
    });

    it('fails with store-busy after busyMs, and works again afterwards', async () => {
      const file = newFile();
      const driver = await open(file, { busyMs: 30 });
      const release = hold(file);
      const refusal = { code: 'store-busy', hint: expect.stringContaining('process') };
      await expect(async () => driver.run('p', [put('a')])).rejects.toMatchObject(refusal);
      await expect(driver.run('p', [put('a')], 'disk')).rejects.toMatchObject(refusal);
      release();
      expect(await driver.run('p', [get('a')])).toMatchObject({ results: [undefined] });
      await driver.run('p', [put('a')], 'disk');
    });

    it.each(['process', 'disk'] as const)(
      '[S20] carries out no run for %s after its busyMs, which begin with the call, however many wait before it',
      async (sync) => {
        const file = newFile();
        const driver = await open(file, { busyMs: 1000 });
        let moment = performance.now();
        const clock = vi.spyOn(performance, 'now').mockImplementation(() => moment);
        onTestFinished(() => clock.mockRestore());
        const release = hold(file);
        const write = async (key: string) => driver.run('p', [put(key)], sync);
        const first = write('a').finally(release);
        const waiting = [write('b')];
        await new Promise((resolve) => setImmediate(resolve));
        waiting.push(write('c'));
        const others = Promise.allSettled(waiting);
        await new Promise((resolve) => setImmediate(resolve));
        moment += 1000;
        await expect(first).rejects.toMatchObject({ code: 'store-busy' });
        for (const other of await others) expect((other as PromiseRejectedResult).reason?.code).toBe('store-busy');
        expect(await driver.run('p', [get('c')])).toMatchObject({ results: [undefined] });
      },
    );
  });

  describe('that other processes use', () => {
    let program = '';
    beforeAll(async () => {
      program = await bundledProgram('counting-process', 'sqlite');
    });

    function start(file: string, times: number, name: string) {
      const child = spawn(process.execPath, [program, file, String(times), name], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      return { child, lines: createInterface(child.stdout), exited: once(child, 'exit') };
    }

    const counted = async (driver: Awaited<ReturnType<typeof open>>) => {
      const ran = await driver.run('p', [get('counter'), { op: 'entries', row: 'counter', log: 'log', after: 0 }]);
      const [row, log] = resultsOf<[Row, Log]>(ran);
      return { row: Number(row.data), log: log.count, entries: log.entries?.map(({ data }) => Number(data)) };
    };

    it('has every run of each of them once, and messages arrive [S20]', async () => {
      const file = newFile();
      const driver = await open(file);
      const received: number[] = [];
      const all = new Promise<void>((resolve) => {
        void driver.subscribe('counted', (text) => received.push(Number(text)) === 60 && resolve());
      });
      const processes = ['one', 'other'].map((name) => start(file, 30, name));
      expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual([
        [0, null],
        [0, null],
      ]);
      await withTimeout(all, 'sixty messages');
      const numbers = Array.from({ length: 60 }, (_, n) => n + 1);
      expect(received).toEqual(numbers);
      expect(await counted(driver)).toEqual({ row: 60, log: 60, entries: numbers });
    });

    it('has all that one acknowledged before it was killed, and no half of a run [S20]', async () => {
      const file = newFile();
      const { child, lines, exited } = start(file, 1_000_000, 'killed');
      let last = 0;
      lines.on('line', (line) => {
        last = Number(line);
        if (last === 20) child.kill('SIGKILL');
      });
      await exited;
      const driver = await open(file);
      const { row, log, entries } = await counted(driver);
      expect(row).toBeGreaterThanOrEqual(last);
      expect(log).toBe(row);
      expect(entries).toEqual(Array.from({ length: row }, (_, n) => n + 1));
    });
  });
});
