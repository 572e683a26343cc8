/** The store in Redis keeps the contract of every store: on a plain server, and on one that is a cluster. */
import { openRedisStore } from 'tenon/redis';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { testStore } from '../store/contract.ts';
import { hasRedis, type RedisServer, startRedis } from './fixtures/redis-server.ts';

describe.runIf(hasRedis).each([
  ['Redis', []],
  ['a cluster of Redis', ['--cluster-enabled', 'yes']],
] as const)('%s', (name, options) => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis(options);
  });
  afterAll(() => server.close());

  let round = 0;
  testStore(`in ${name}`, async () => {
    let moved = 0;
    const prefix = `test${round++}:`;
    const store = await openRedisStore(server.url, { prefix, movedMs: () => moved });
    return {
      store,
      advance: (ms) => void (moved += ms),
      now: () => Date.now() + moved,
      async lose() {
        const { epoch } = store.sessions;
        await server.kill();
        await server.start();
        await vi.waitUntil(() => store.sessions.epoch !== epoch, { timeout: 60_000 });
      },
      close: () => store.close(),
    };
  });
});
