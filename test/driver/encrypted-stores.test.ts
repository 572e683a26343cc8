/** An encrypted store keeps every contract that one without encryption keeps. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRedisStore, type RedisStoreOptions } from 'tenon/redis';
import { openSqliteStore, type SqliteStoreOptions } from 'tenon/sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectRedis } from '../../src/redis/connection.ts';
import { withFixed } from '../kit/fixed-limits.ts';
import { scaled } from '../kit/long.ts';
import { hasRedis, type RedisServer, startRedis } from '../redis/fixtures/redis-server.ts';
import { testStore } from '../store/contract.ts';
import { expectLikeMemory } from '../store/like-memory.ts';
import { testLimitStore } from '../store/limit-contract.ts';
import { onceLimits, onceLimitsInParts, testOnceStore } from '../store/once-contract.ts';
import { testTasks } from '../store/task-contract.ts';

const encryption = { keys: ['the newest secret of these tests, long', 'an older secret of these tests, long enough'] };
const rounds = scaled(20, 500);

describe('An encrypted SQLite file', () => {
  async function open(options: SqliteStoreOptions = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-sqlite-'));
    let moment = 10_000_000;
    const openOnce = () => openSqliteStore(join(folder, 'store.db'), { ...options, now: () => moment, encryption });
    const [store, another] = [await openOnce(), await openOnce()];
    const close = async (): Promise<void> => {
      await Promise.all([store.close(), another.close()]);
      rmSync(folder, { recursive: true });
    };
    return { store, another, now: () => moment, advance: (ms: number) => void (moment += ms), close };
  }

  testStore('in an encrypted SQLite file', async () => {
    const opened = await open();
    return { ...opened, lose: () => opened.store.clear() };
  });
  testLimitStore('in an encrypted SQLite file', async () => {
    const opened = await open();
    return { ...opened, store: opened.store.limits };
  });
  testOnceStore('in an encrypted SQLite file', async () => {
    const { store, another, ...opened } = await open(withFixed({}, onceLimits));
    return { ...opened, stores: [store.once, another.once], hasTotals: true };
  });
  testTasks('in an encrypted SQLite file', async () => {
    const opened = await open();
    return { ...opened, tasks: opened.store.tasks, bus: opened.store.bus };
  });

  it('has the results of a store in memory for every sequence of operations [S20]', async () => {
    const { store, close, now, advance } = await open();
    const limits = { maxStreamChars: 400, maxSessionChars: 1000, maxTotalStoredChars: 5000, maxStreams: 3 };
    const compared = await expectLikeMemory({
      store,
      clock: { now, advance },
      limits,
      rounds,
      clear: () => store.clear(),
    });
    expect(compared).toBeGreaterThan(rounds);
    await close();
  });
});

describe.runIf(hasRedis)('An encrypted store in Redis', () => {
  let server: RedisServer;
  let prefixes = 0;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());
  const adminOf = ({ url }: RedisServer) =>
    connectRedis(url, { commandMs: 60_000, connectMs: 60_000, onError: () => undefined });

  async function open(options: RedisStoreOptions = {}) {
    let moment = Date.now() + 3_600_000;
    const prefix = `test${prefixes++}:`;
    // A busy machine takes longer than the default.
    const timeouts = { commandMs: 60_000, connectMs: 60_000 };
    const openOnce = () => openRedisStore(server.url, { timeouts, ...options, prefix, now: () => moment, encryption });
    const [store, another] = [await openOnce(), await openOnce()];
    const close = async (): Promise<void> => void (await Promise.all([store.close(), another.close()]));
    return { store, another, now: () => moment, advance: (ms: number) => void (moment += ms), close };
  }

  testStore('in encrypted Redis', async () => {
    const opened = await open();
    const { store } = opened;
    return {
      ...opened,
      async lose() {
        const { epoch } = store.sessions;
        await server.kill();
        await server.start();
        await vi.waitUntil(() => store.sessions.epoch !== epoch, { timeout: 60_000 });
      },
      async loseMessages() {
        const admin = await adminOf(server);
        await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
        admin.disconnect();
      },
    };
  });
  testLimitStore('in encrypted Redis', async () => {
    const opened = await open();
    return { ...opened, store: opened.store.limits };
  });
  testOnceStore('in encrypted Redis', async () => {
    const { store, another, ...opened } = await open(withFixed({}, onceLimitsInParts));
    return { ...opened, stores: [store.once, another.once], hasTotals: false };
  });
  testTasks('in encrypted Redis', async () => {
    const opened = await open();
    return { ...opened, tasks: opened.store.tasks, bus: opened.store.bus };
  });
});
