/** What Redis itself deletes: nothing stays of a partition whose rows have expired. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectRedis } from '../../../src/redis/connection.ts';
import { openRedisDriver } from '../../../src/redis/engine/driver.ts';
import type { Row } from '../../../src/store/driver.ts';
import { hasRedis, patient, startRedis } from '../fixtures/redis-server.ts';

async function started() {
  const server = await startRedis();
  const driver = await openRedisDriver(server.url, { timeouts: patient });
  const admin = await connectRedis(server.url, { ...patient, onError: () => undefined });
  onTestFinished(async () => {
    admin.disconnect();
    await driver.close();
    await server.close();
  });
  /** Those that belong to no partition stay. */
  const keys = async (): Promise<readonly string[]> => (await admin.keys('tn2:{*')).toSorted();
  return { driver, admin, keys };
}

const soon = { timeout: 60_000 };

describe.runIf(hasRedis)('the engine in Redis', () => {
  it('leaves the rows, logs, aliases, groups and buckets that have expired to Redis, which deletes their keys', async () => {
    const { driver, keys } = await started();
    const groups = [{ name: 'g', max: 10, maxChars: 100 }, { name: 'h' }];
    await driver.run('p', [
      { op: 'put', key: 'a', version: '1', data: 'text', alias: 'x', groups, expiresInMs: 100 },
      { op: 'put', key: 'b', version: '1', data: 'text', groups },
      { op: 'append', row: 'a', log: 'l', entries: [{ data: 'entry', chars: 5 }] },
      { op: 'tokens', key: 't', costMs: 100, fullMs: 1000 },
    ]);
    await driver.run('p', [{ op: 'put', key: 'b', version: '2', expiresInMs: 200 }]);
    expect((await keys()).length).toBeGreaterThan(6);
    await vi.waitUntil(async () => (await keys()).length === 0, soon);
  });

  it('does not count, list or take a row that Redis has deleted, and forgets what is left of it', async () => {
    const { driver, admin, keys } = await started();
    const groups = [{ name: 'g', max: 2 }];
    const due = [{ queue: 'q', inMs: 0 }];
    await driver.run('p', [
      { op: 'put', key: 'a', version: '1', groups, due, expiresInMs: 50 },
      { op: 'put', key: 'b', version: '1', groups, due },
    ]);
    await vi.waitUntil(async () => (await admin.exists('tn2:{p}r:a')) === 0, soon);
    const taken = await driver.take({ partitions: ['p'], queues: ['q'], max: 9, holder: 'h', leaseMs: 60_000 });
    expect(taken.map(({ row }) => row.key)).toEqual(['b']);
    const ran = await driver.run('p', [
      { op: 'put', key: 'c', version: '1', groups },
      { op: 'list', group: 'g', max: 9 },
    ]);
    const listed = (ran.failed === undefined ? ran.results[1] : []) as readonly Row[];
    expect(listed.map(({ key }) => key)).toEqual(['b', 'c']);
    await driver.run('p', [
      { op: 'delete', key: 'b' },
      { op: 'delete', key: 'c' },
    ]);
    // The lane goes when its turn comes.
    expect(await keys()).toEqual(['tn2:{p}q', 'tn2:{p}q:q']);
  });

  it('moves the expiry of logs with that of their row', async () => {
    const { driver, admin } = await started();
    const append = { op: 'append', row: 's', log: 'l', entries: [{ data: 'x', chars: 1 }] } as const;
    await driver.run('p', [{ op: 'put', key: 's', version: '1', expiresInMs: 60_000 }, append]);
    await driver.run('p', [{ op: 'put', key: 's', version: '2', expiresInMs: 900_000 }]);
    await driver.run('p', [append]);
    expect(await admin.pexpiretime('tn2:{p}l:s')).toBe(await admin.pexpiretime('tn2:{p}r:s'));
    expect(await admin.pttl('tn2:{p}l:s')).toBeGreaterThan(60_000);
  });

  it('gives logs without a row an hour, and those of a row that stays no end', async () => {
    const { driver, admin } = await started();
    const append = { op: 'append', row: 's', log: 'l', entries: [{ data: 'x', chars: 1 }] } as const;
    await driver.run('p', [append]);
    expect(await admin.pttl('tn2:{p}l:s')).toBeGreaterThan(3_000_000);
    await driver.run('p', [{ op: 'put', key: 's', version: '1' }]);
    expect(await admin.pttl('tn2:{p}l:s')).toBe(-1);
  });

  it('[S24] makes room for what has expired in scripts that are short, however much that is', async () => {
    const server = await startRedis();
    let moment = Date.now();
    const driver = await openRedisDriver(server.url, { timeouts: patient, now: () => moment });
    const admin = await connectRedis(server.url, { ...patient, onError: () => undefined });
    onTestFinished(async () => {
      admin.disconnect();
      await driver.close();
      await server.close();
    });
    const groups = [{ name: 'g', max: 6400, maxChars: 1e6 }];
    const put = (key: string) => ({ op: 'put', key, version: '1', data: 'text', groups, expiresInMs: 1000 }) as const;
    for (let n = 0; n < 100; n++)
      await driver.run(
        'p',
        Array.from({ length: 64 }, (_, at) => put(`${n} ${at}`)),
      );
    expect(await driver.run('p', [put('a')])).toMatchObject({ why: 'full' });
    moment += 2000;
    await admin.config('RESETSTAT');
    expect(await driver.run('p', [put('a')])).toMatchObject({ results: [{ key: 'a' }] });
    const calls = new Map(
      [...(await admin.info('commandstats')).matchAll(/cmdstat_([^:]+):calls=(\d+)/g)].map(([, name, count]) => [
        name,
        Number(count),
      ]),
    );
    const scripts = calls.get('fcall') ?? 0;
    const commands = [...calls.values()].reduce((sum, count) => sum + count, 0);
    expect(commands / scripts).toBeLessThan(5000);
    expect(await driver.run('p', [{ op: 'list', group: 'g', max: 10 }])).toMatchObject({ results: [[{ key: 'a' }]] });
  });
});
