/** The engine in a Redis that is slow, cut off, restarted or of another layout: named errors, and nothing half done. */
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { connectRedis } from '../../../src/redis/connection.ts';
import { openRedisDriver } from '../../../src/redis/engine/driver.ts';
import type { RedisDriverOptions } from '../../../src/redis/engine/engine.ts';
import type { Op, Row, StoreDriver } from '../../../src/store/driver.ts';
import { deferred } from '../../kit/deferred.ts';
import { scaled } from '../../kit/long.ts';
import { withTimeout } from '../../kit/with-timeout.ts';
import { startCutter } from '../fixtures/cutter.ts';
import { hasRedis, patient, type RedisServer, startRedis } from '../fixtures/redis-server.ts';

const put = (key: string, version: string): Op => ({ op: 'put', key, version, groups: [{ name: 'g' }] });

async function rowOf(driver: StoreDriver, key: string): Promise<Row | undefined> {
  const ran = await driver.run('p', [{ op: 'get', key }]);
  return ran.failed === undefined ? (ran.results[0] as Row | undefined) : undefined;
}

const answers = (driver: StoreDriver): Promise<boolean> =>
  Promise.resolve(driver.run('p', [])).then(
    () => true,
    () => false,
  );

const adminOf = async ({ url }: RedisServer) => {
  const admin = await connectRedis(url, { ...patient, onError: () => undefined });
  onTestFinished(() => admin.disconnect());
  return admin;
};

async function opened(url: string, options: RedisDriverOptions = {}): Promise<StoreDriver> {
  const driver = await openRedisDriver(url, { timeouts: patient, ...options });
  onTestFinished(() => driver.close());
  return driver;
}

describe.runIf(hasRedis)('the engine in a Redis that fails', () => {
  let server: RedisServer;
  let driver: StoreDriver;
  const errors: unknown[] = [];
  const prepared: string[] = [];
  beforeEach(async () => {
    errors.length = 0;
    prepared.length = 0;
    server = await startRedis();
    driver = await openRedisDriver(server.url, {
      timeouts: { commandMs: 3000, connectMs: 60_000 },
      onError: (error) => errors.push(error),
      async prepare(run) {
        const ran = await run('meta', [{ op: 'put', key: 'marker', when: 'absent', version: 'v' }]);
        prepared.push(ran.failed === undefined ? 'new' : 'known');
      },
    });
  });
  afterEach(async () => {
    await driver.close();
    await server.close();
  });

  it('[S20] fails by name while it is away, and is another store when it is back without its data', async () => {
    await driver.run('p', [put('a', '1')]);
    const { epoch } = driver;
    await server.kill();
    const away = { code: expect.stringMatching(/^store-(failed|timeout)$/) };
    await expect(async () => driver.run('p', [])).rejects.toMatchObject(away);
    await expect(async () =>
      driver.take({ partitions: ['p'], queues: ['q'], max: 1, holder: 'h', leaseMs: 1 }),
    ).rejects.toMatchObject(away);
    await server.start();
    await vi.waitUntil(() => answers(driver));
    expect(driver.epoch).not.toBe(epoch);
    expect(await rowOf(driver, 'a')).toBeUndefined();
    expect(prepared).toEqual(['new', 'new']);
    expect(errors).toEqual(expect.arrayContaining([expect.objectContaining({ code: 'store-failed' })]));
  });

  it('[S20] is the same store after the connection was cut, and prepares it before anything runs', async () => {
    await driver.run('p', [put('a', '1')]);
    const { epoch } = driver;
    const admin = await adminOf(server);
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await vi.waitUntil(() => answers(driver));
    expect(prepared).toEqual(['new', 'known']);
    expect(driver.epoch).toBe(epoch);
    expect(await rowOf(driver, 'a')).toMatchObject({ version: '1' });
  });

  it('calls onMissed after the connection for messages was lost, and delivers those that follow [S31]', async () => {
    const received: string[] = [];
    const missed = deferred();
    await driver.subscribe('t', (text) => received.push(text), missed.resolve);
    const admin = await adminOf(server);
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await withTimeout(missed.promise, 'onMissed');
    await driver.run('p', [{ op: 'publish', topic: 't', text: 'back' }]);
    await vi.waitUntil(() => received.length > 0);
    expect(received).toEqual(['back']);
  });

  it('fails with store-timeout when it does not answer', async () => {
    server.pause();
    await expect(async () => driver.run('p', [])).rejects.toMatchObject({
      code: 'store-timeout',
      hint: expect.stringContaining('commandMs'),
    });
    server.resume();
  });

  it('loads its functions again after Redis has forgotten them', async () => {
    await (await adminOf(server)).function('FLUSH');
    expect(await driver.run('p', [put('a', '1')])).toMatchObject({ results: [{ version: '1' }] });
  });

  it('reads and deletes when the memory of Redis is full, and writes nothing', async () => {
    await driver.run('p', [put('a', '1'), put('b', '1')]);
    await (await adminOf(server)).config('SET', 'maxmemory', '1');
    expect(await rowOf(driver, 'a')).toMatchObject({ version: '1' });
    await expect(async () => driver.run('p', [put('a', '2')])).rejects.toMatchObject({ code: 'store-failed' });
    expect(await driver.run('p', [{ op: 'delete', key: 'b' }])).toMatchObject({ results: [true] });
    expect(await rowOf(driver, 'a')).toMatchObject({ version: '1' });
  });

  it('fails for good after it was closed', async () => {
    await driver.close();
    await expect(async () => driver.run('p', [])).rejects.toMatchObject({ code: 'store-failed' });
    expect(errors).toEqual([]);
  });
});

describe.runIf(hasRedis)('the engine in Redis behind a connection that is cut', () => {
  it(
    '[S20] has done all of a run, or nothing',
    async () => {
      const server = await startRedis();
      const cutter = await startCutter(server.url);
      onTestFinished(async () => {
        await cutter.close();
        await server.close();
      });
      const [driver, direct] = [await opened(cutter.url), await opened(server.url)];
      const rounds = scaled(20, 300);
      const done = { 'before command': 0, 'before answer': 0 };
      for (let round = 0; round < rounds; round++) {
        const [key, version] = [`k${round}`, `v${round}`];
        const cut = round % 2 === 0 ? 'before command' : 'before answer';
        cutter.arm(cut);
        const append: Op = { op: 'append', row: key, log: 'l', entries: [{ data: 'x', chars: 1 }] };
        await Promise.resolve(driver.run('p', [put(key, version), append])).catch(() => undefined);
        cutter.disarm();
        await vi.waitUntil(() => answers(driver));
        const row = await rowOf(direct, key);
        const ran = await direct.run('p', [
          { op: 'list', group: 'g', max: 1000 },
          { op: 'logs', row: key },
        ]);
        const [listed, logs] = (ran.failed === undefined ? ran.results : []) as [readonly Row[], readonly unknown[]];
        const isListed = listed.some((one) => one.key === key);
        expect([isListed, logs.length]).toEqual(row === undefined ? [false, 0] : [true, 1]);
        if (row !== undefined) done[cut]++;
      }
      expect(done['before command']).toBe(0);
      expect(done['before answer']).toBeGreaterThan(0);
    },
    scaled(120_000, 600_000),
  );
});

describe.runIf(hasRedis)('openRedisDriver()', () => {
  const started = async (settings: readonly string[] = []): Promise<RedisServer> => {
    const server = await startRedis(settings);
    onTestFinished(() => server.close());
    return server;
  };

  it('refuses a Redis with the keys of an earlier layout, unless a fresh store is wanted beside them', async () => {
    const server = await started();
    const admin = await adminOf(server);
    await admin.set('a:tn1:epoch', 'x');
    await expect(opened(server.url, { prefix: 'a:' })).rejects.toMatchObject({
      code: 'store-too-old',
      hint: expect.stringContaining('fresh: true'),
    });
    await opened(server.url, { prefix: 'b:' });
    const fresh = await opened(server.url, { prefix: 'a:', fresh: true });
    expect((await opened(server.url, { prefix: 'a:' })).epoch).toBe(fresh.epoch);
    expect(await admin.get('a:tn1:epoch')).toBe('x');
  });

  it('refuses a Redis with the data of a newer version, and does not change it', async () => {
    const server = await started();
    await opened(server.url);
    const admin = await adminOf(server);
    await admin.hset('tn2:store', 'version', 99);
    await expect(opened(server.url)).rejects.toMatchObject({ code: 'store-too-new', details: { version: 99 } });
    expect(await admin.hget('tn2:store', 'version')).toBe('99');
  });

  it('[S20] has the durability of the settings of Redis, and refuses less than is required', async () => {
    const [memory, disk] = [await started(), await started(['--appendonly', 'yes', '--appendfsync', 'always'])];
    expect((await opened(memory.url)).durability).toBe('memory');
    expect((await opened(disk.url, { durability: 'disk' })).durability).toBe('disk');
    const refused = opened(memory.url, { durability: 'process' });
    await expect(refused).rejects.toMatchObject({ code: 'store-not-durable' });
  });

  it('fails where prepare fails, and runs nothing', async () => {
    const { url } = await started();
    const prepare = (): never => {
      throw new Error('no');
    };
    await expect(opened(url, { prepare })).rejects.toThrow('no');
  });

  it('never shows a password', async () => {
    for (const url of [
      'redis://:secret@127.0.0.1:1/0',
      'redis://:secret@127.0.0.1:1/x',
      'http://:secret@127.0.0.1:1',
    ]) {
      const error: unknown = await openRedisDriver(url).catch((cause: unknown) => cause);
      expect(error).toMatchObject({ code: expect.stringMatching(/^(store-failed|invalid-argument)$/) });
      expect(inspect(error, { depth: 10 })).not.toContain('secret');
    }
  });
});
