/** A connection to Redis that is cut before a command arrives, or before its answer does: nothing is half done. */
import { openRedisStore } from 'tenon/redis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectRedis } from '../../src/redis/connection.ts';
import { scaled } from '../kit/long.ts';
import { expectSurvivesFaults } from '../store/faulty.ts';
import { startCutter } from './fixtures/cutter.ts';
import { hasRedis, startRedis } from './fixtures/redis-server.ts';

const rounds = scaled(10, 150);
const timeoutMs = scaled(300_000, 600_000);
// Redis limits by its own memory what all sessions store together.
const limits = { maxStreamChars: 400, maxSessionChars: 1000, maxTotalStoredChars: 1e9, maxStreams: 3 };

describe.runIf(hasRedis)('A store in Redis', () => {
  it(
    'has done an operation whose connection was cut, or has not [S20]',
    async () => {
      const server = await startRedis();
      const cutter = await startCutter(server.url);
      let moment = Date.now() + 3_600_000;
      const now = () => moment;
      const store = await openRedisStore(cutter.url, { now });
      const admin = await connectRedis(server.url, { commandMs: 60_000, connectMs: 60_000, onError: () => undefined });
      onTestFinished(async () => {
        admin.disconnect();
        await store.close();
        await cutter.close();
        await server.close();
      });
      /** Until the connection is made again. */
      async function recover(): Promise<void> {
        cutter.disarm();
        while (!(await isConnected())) await new Promise((resolve) => setImmediate(resolve));
      }
      const isConnected = () =>
        Promise.resolve(store.sessions.read('none')).then(
          () => true,
          () => false,
        );
      const failures = await expectSurvivesFaults({
        store: () => store,
        clock: { now, advance: (ms) => void (moment += ms) },
        limits,
        rounds,
        faults: ['before command', 'before answer'],
        arm: (cut) => cutter.arm(cut),
        recover,
        mayHaveRun: (cut) => cut === 'before answer',
        clear: async () => void (await admin.flushall()),
      });
      expect(failures).toBeGreaterThan(rounds / 5);
    },
    timeoutMs,
  );
});
