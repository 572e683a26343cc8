/** The store in Redis keeps the contract of every store: on a plain server, and on one that is a cluster. */
import { openRedisStore } from 'tenon/redis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectRedis } from '../../src/redis/connection.ts';
import { withFixed } from '../kit/fixed-limits.ts';
import { scaled } from '../kit/long.ts';
import { requires } from '../kit/requires.ts';
import { testStore } from '../store/contract.ts';
import { expectLikeMemory } from '../store/like-memory.ts';
import { testLimitStore } from '../store/limit-contract.ts';
import { onceLimitsInParts, testOnceStore } from '../store/once-contract.ts';
import { testTasks } from '../store/task-contract.ts';
import { hasRedis, patient, type RedisServer, startRedis } from './fixtures/redis-server.ts';

const adminOf = ({ url }: RedisServer) => connectRedis(url, { ...patient, onError: () => undefined });

const rounds = scaled(40, 2000);

it('has a Redis to run on', (context) => {
  requires(context, hasRedis ? undefined : 'redis-server is not installed');
  expect(hasRedis).toBe(true);
});

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
    // Ahead of the time of Redis: keys expire there by themselves.
    let moment = Date.now() + 3_600_000;
    const prefix = `test${round++}:`;
    const store = await openRedisStore(server.url, { prefix, now: () => moment, timeouts: patient });
    return {
      store,
      advance: (ms) => void (moment += ms),
      now: () => moment,
      async lose() {
        const { epoch } = store.sessions;
        await server.kill();
        await server.start();
        await vi.waitUntil(() => store.sessions.epoch !== epoch);
      },
      async loseMessages() {
        const admin = await adminOf(server);
        await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
        admin.disconnect();
      },
      close: () => store.close(),
    };
  });

  testLimitStore(`in ${name}`, async () => {
    let moment = Date.now() + 3_600_000;
    const prefix = `limits${round++}:`;
    const store = await openRedisStore(server.url, { prefix, now: () => moment, timeouts: patient });
    return { store: store.limits, advance: (ms) => void (moment += ms), close: () => store.close() };
  });

  testOnceStore(`in ${name}`, async () => {
    let moment = Date.now() + 3_600_000;
    const options = withFixed({ prefix: `once${round++}:`, now: () => moment, timeouts: patient }, onceLimitsInParts);
    const stores = [await openRedisStore(server.url, options), await openRedisStore(server.url, options)] as const;
    return {
      stores: [stores[0].once, stores[1].once],
      hasTotals: false,
      advance: (ms) => void (moment += ms),
      async close() {
        for (const store of stores) await store.close();
      },
    };
  });

  testTasks(`in ${name}`, async () => {
    let moment = Date.now() + 3_600_000;
    const prefix = `tasks${round++}:`;
    const store = await openRedisStore(server.url, { prefix, now: () => moment, timeouts: patient });
    return { tasks: store.tasks, bus: store.bus, advance: (ms) => void (moment += ms), close: () => store.close() };
  });

  it('has the results of a store in memory for every sequence of operations', async () => {
    let moment = Date.now() + 3_600_000;
    const clock = { now: () => moment, advance: (ms: number) => void (moment += ms) };
    const store = await openRedisStore(server.url, { prefix: 'random:', now: clock.now, timeouts: patient });
    const admin = await adminOf(server);
    // Redis limits by its own memory what all sessions store together.
    const limits = { maxStreamChars: 400, maxSessionChars: 1000, maxTotalStoredChars: 1e9, maxStreams: 3 };
    const clear = async () => void (await admin.flushall());
    expect(await expectLikeMemory({ store, clock, limits, rounds, clear })).toBeGreaterThan(rounds);
    admin.disconnect();
    await store.close();
  });
});
