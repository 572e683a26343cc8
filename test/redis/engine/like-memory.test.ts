/** Random runs on the engine in Redis have the results that they have in memory: on a plain server, and on a cluster. */
import { describe, expect, it } from 'vitest';
import { openRedisDriver } from '../../../src/redis/engine/driver.ts';
import { scaled } from '../../kit/long.ts';
import { expectLikeMemoryDriver } from '../../store/driver/like-memory.ts';
import { hasRedis, patient, startRedis } from '../fixtures/redis-server.ts';

const rounds = scaled(60, 3000);
const timeoutMs = scaled(300_000, 1_800_000);

describe.runIf(hasRedis).each([
  ['Redis', []],
  ['a cluster of Redis', ['--cluster-enabled', 'yes']],
] as const)('the engine in %s', (_name, settings) => {
  it(
    'does what the engine in memory does',
    async () => {
      const open = async () => {
        const server = await startRedis(settings);
        let now = Date.UTC(2026, 0);
        const driver = await openRedisDriver(server.url, { now: () => now, timeouts: patient });
        const close = async (): Promise<void> => {
          await driver.close();
          await server.close();
        };
        return { driver, advance: (ms: number) => void (now += ms), close };
      };
      expect(await expectLikeMemoryDriver(open, rounds)).toBeGreaterThan(rounds);
    },
    timeoutMs,
  );
});
