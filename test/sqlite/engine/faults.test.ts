/** A SQLite file whose writes fail: runs that share a transaction are each done or not done, and nothing is half done. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Database, sqliteOf } from '../../../src/sqlite/database.ts';
import { openSqliteDriver } from '../../../src/sqlite/engine/driver.ts';
import type { Op, Ran } from '../../../src/store/driver.ts';
import { drivers } from '../fixtures/drivers.ts';
import { temporaryFile } from './fixtures/temporary-file.ts';

/** Makes what this process does next in SQLite fail: a commit, before or after it is done, or the storing of an entry. */
function faultsOf(driver: (typeof drivers)[number]) {
  const { prototype } = sqliteOf(driver) as unknown as { prototype: Database };
  const { exec } = prototype;
  const commits: string[] = [];
  let fault: 'before commit' | 'after commit' | undefined;
  prototype.exec = function (this: Database, sql: string) {
    if (sql !== 'COMMIT') return exec.call(this, sql);
    commits.push(sql);
    const moment = fault;
    fault = undefined;
    if (moment === 'before commit') throw diskError();
    exec.call(this, sql);
    if (moment === 'after commit') throw diskError();
    return undefined;
  };
  onTestFinished(() => void (prototype.exec = exec));
  return { commits, failNext: (next: typeof fault) => void (fault = next) };
}

const diskError = () => Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR', errcode: 10 });

const put = (key: string, more: object = {}): Op => ({ op: 'put', key, when: 'absent', version: key, ...more });
/** It fails in the middle of its run: an entry without text of its own is no text in SQL. */
const failing = (key: string): readonly Op[] => [
  put(key),
  { op: 'append', row: key, log: 'l', entries: [{ data: Symbol('no text') as never, chars: 1 }] },
];

describe.each(drivers)('Runs on disk by %s', (driver) => {
  async function open() {
    const { file, remove } = temporaryFile();
    const faults = faultsOf(driver);
    const engine = await openSqliteDriver(file, { driver });
    onTestFinished(async () => {
      await engine.close();
      remove();
    });
    faults.commits.length = 0;
    const write = async (ops: readonly Op[]): Promise<Ran> => engine.run('p', ops, 'disk');
    const stored = async (...keys: readonly string[]): Promise<readonly boolean[]> => {
      const ran = await engine.run(
        'p',
        keys.map((key) => ({ op: 'get', key })),
      );
      return ran.failed === undefined ? ran.results.map((row) => row !== undefined) : [];
    };
    return { ...faults, engine, write, stored };
  }

  it('that are called together are committed together', async () => {
    const { commits, write, stored } = await open();
    await Promise.all(['a', 'b', 'c'].map((key) => write([put(key)])));
    expect(commits).toHaveLength(1);
    await write([put('d')]);
    expect(commits).toHaveLength(2);
    expect(await stored('a', 'b', 'c', 'd')).toEqual([true, true, true, true]);
  });

  it('see those before them, and a condition that fails changes nothing of the others', async () => {
    const { commits, write, stored } = await open();
    const ran = await Promise.all([write([put('a')]), write([put('b'), put('a')]), write([put('c')])]);
    expect(ran).toMatchObject([{ results: [{}] }, { failed: 1, why: 'condition' }, { results: [{}] }]);
    expect(commits).toHaveLength(1);
    expect(await stored('a', 'b', 'c')).toEqual([true, false, true]);
  });

  it('are done though one between them fails, of which nothing is stored', async () => {
    const { write, stored } = await open();
    const [first, broken, last] = await Promise.allSettled([write([put('a')]), write(failing('b')), write([put('c')])]);
    expect(first).toMatchObject({ status: 'fulfilled', value: { results: [{ key: 'a' }] } });
    expect(broken).toMatchObject({ status: 'rejected', reason: { code: 'store-failed' } });
    expect(last).toMatchObject({ status: 'fulfilled', value: { results: [{ key: 'c' }] } });
    expect(await stored('a', 'b', 'c')).toEqual([true, false, true]);
  });

  it.each([
    ['before commit', false],
    ['after commit', true],
  ] as const)('fail together when the disk fails %s, and are not repeated', async (fault, isStored) => {
    const { commits, failNext, write, stored } = await open();
    failNext(fault);
    for (const each of await Promise.allSettled(['a', 'b'].map((key) => write([put(key)]))))
      expect(each).toMatchObject({ status: 'rejected', reason: { code: 'store-failed' } });
    expect(commits).toHaveLength(1);
    expect(await stored('a', 'b')).toEqual([isStored, isStored]);
    expect((await write([put('c')])).failed).toBeUndefined();
  });

  it('publish after the commit, once', async () => {
    const { engine, failNext, write } = await open();
    const received: string[] = [];
    await engine.subscribe('t', (text) => received.push(text));
    const publish = (text: string): Op => ({ op: 'publish', topic: 't', text });
    failNext('before commit');
    await expect(write([publish('lost')])).rejects.toThrow('disk');
    await Promise.allSettled([write([publish('1')]), write([publish('none'), ...failing('b')]), write([publish('2')])]);
    expect(received).toEqual(['1', '2']);
  });

  it('that wait are done before the file is closed', async () => {
    const { engine, write } = await open();
    const waiting = write([put('a')]);
    await engine.close();
    expect((await waiting).failed).toBeUndefined();
  });
});

describe.each(drivers)('A run by %s that does not wait for the disk', (driver) => {
  it('is done or not done when its commit fails [S20]', async () => {
    const { file, remove } = temporaryFile();
    const { failNext } = faultsOf(driver);
    const engine = await openSqliteDriver(file, { driver });
    onTestFinished(async () => {
      await engine.close();
      remove();
    });
    const stored = (key: string) => engine.run('p', [{ op: 'get', key }]);
    failNext('before commit');
    expect(() => engine.run('p', [put('a')])).toThrow('disk I/O error');
    failNext('after commit');
    expect(() => engine.run('p', [put('b')])).toThrow('disk I/O error');
    expect(() => engine.run('p', failing('c'))).toThrow('SQLite failed');
    expect([await stored('a'), await stored('b'), await stored('c')]).toMatchObject([
      { results: [undefined] },
      { results: [{ key: 'b' }] },
      { results: [undefined] },
    ]);
    expect(engine.run('p', [put('a')])).toMatchObject({ results: [{ key: 'a' }] });
  });
});
