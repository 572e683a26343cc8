/** What the settings of a real Redis give: `durability` of the store. */
import { openRedisStore } from 'tenon/redis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectRedis } from '../../src/redis/connection.ts';
import { readDurability } from '../../src/redis/durability.ts';
import { hasRedis, patient, type RedisServer, startRedis } from './fixtures/redis-server.ts';

async function started(options: readonly string[]): Promise<RedisServer> {
  const server = await startRedis(options);
  onTestFinished(() => server.close());
  return server;
}

describe.runIf(hasRedis)('[S20] a store in Redis', () => {
  it.each([
    [['--appendonly', 'no'], 'memory'],
    [['--appendonly', 'yes', '--appendfsync', 'everysec'], 'process'],
    [['--appendonly', 'yes', '--appendfsync', 'always'], 'disk'],
    [['--appendonly', 'yes', '--appendfsync', 'always', '--no-appendfsync-on-rewrite', 'yes'], 'process'],
    [['--appendonly', 'yes', '--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'], 'memory'],
    [['--appendonly', 'yes', '--maxmemory', '100mb', '--maxmemory-policy', 'noeviction'], 'process'],
    [['--rename-command', 'CONFIG', ''], 'unknown'],
  ] as const)('with %j has the durability %s', async (options, durability) => {
    const { url } = await started(options);
    const store = await openRedisStore(url, { timeouts: patient });
    expect(store.durability).toBe(durability);
    await store.close();
  });

  it('that another Redis follows has the durability process: one that takes over lacks the last moment', async () => {
    const first = await started(['--appendonly', 'yes', '--appendfsync', 'always']);
    const { port } = new URL(first.url);
    const second = await started(['--appendonly', 'yes', '--appendfsync', 'always', '--replicaof', '127.0.0.1', port]);
    const admin = await connectRedis(first.url, { ...patient, onError: () => undefined });
    while (!(await admin.info('replication')).includes('connected_slaves:1'));
    admin.disconnect();
    for (const { url } of [first, second]) {
      const redis = await connectRedis(url, { ...patient, onError: () => undefined });
      expect(await readDurability(redis)).toBe('process');
      redis.disconnect();
    }
    await expect(openRedisStore(first.url, { durability: 'disk', timeouts: patient })).rejects.toMatchObject({
      code: 'store-not-durable',
      hint: expect.stringContaining('without replicas'),
    });
  });

  it('that is required to be durable is refused with less, and names the settings', async () => {
    const { url } = await started(['--appendonly', 'yes', '--appendfsync', 'everysec']);
    await (await openRedisStore(url, { durability: 'process', timeouts: patient })).close();
    await expect(openRedisStore(url, { durability: 'disk', timeouts: patient })).rejects.toMatchObject({
      code: 'store-not-durable',
      hint: expect.stringContaining('`appendfsync always`'),
    });
    const wrong = openRedisStore(url, { durability: 'strict' as 'disk' });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid-argument', details: { place: 'durability' } });
  });

  it('has the durability unknown for a user who may not read the settings', async () => {
    const server = await started([]);
    const admin = await connectRedis(server.url, { ...patient, onError: () => undefined });
    await admin.acl('SETUSER', 'plain', 'on', '>password', '~*', '&*', '+@all', '-config');
    admin.disconnect();
    const store = await openRedisStore(server.url.replace('//', '//plain:password@'), { timeouts: patient });
    expect(store.durability).toBe('unknown');
    await store.close();
  });
});
