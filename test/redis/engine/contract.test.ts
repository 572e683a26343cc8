/** The engine in Redis by the suite of the contract: on a plain server, and on one that is a cluster. */
import { testStoreDriver } from 'tenon/store/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { connectRedis } from '../../../src/redis/connection.ts';
import { openRedisDriver } from '../../../src/redis/engine/driver.ts';
import { hasRedis, patient, type RedisServer, startRedis } from '../fixtures/redis-server.ts';

describe.runIf(hasRedis).each([
  ['Redis', []],
  ['a cluster of Redis', ['--cluster-enabled', 'yes']],
] as const)('the engine in %s', (_name, settings) => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis(settings);
  });
  afterAll(() => server.close());

  let round = 0;
  testStoreDriver(async () => {
    let now = Date.UTC(2026, 0);
    const prefix = `test${round++}:`;
    const options = { prefix, now: () => now, timeouts: patient };
    const [driver, other] = [await openRedisDriver(server.url, options), await openRedisDriver(server.url, options)];
    return {
      driver,
      other,
      advance: (ms) => void (now += ms),
      async lose() {
        const { epoch } = driver;
        await server.kill();
        await server.start();
        while (driver.epoch === epoch) await new Promise((resolve) => setImmediate(resolve));
      },
      async disconnect() {
        const admin = await connectRedis(server.url, { ...patient, onError: () => undefined });
        await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
        admin.disconnect();
      },
      async close() {
        await driver.close();
        await other.close();
      },
    };
  }, it);
});
