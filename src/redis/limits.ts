/** Token buckets and leases in Redis, all in one slot of a cluster: a call takes of several at once. */
import { toleranceOf } from '../store/limits/buckets.ts';
import type { LimitStore } from '../store/limits/limit-store.ts';
import type { ScriptedRedis } from './connection/scripted.ts';
import type { RedisKeys } from './keys.ts';

export function createRedisLimits(redis: ScriptedRedis, keys: RedisKeys): LimitStore {
  return {
    async take(tokens, lease, leaseMs = 0) {
      const slots = lease?.slots ?? [];
      const names = [...tokens.map(({ key }) => keys.bucket(key)), ...slots.map(({ key }) => keys.slots(key))];
      const claims = tokens.map(({ cost, bucket }) => ({
        tolerance: toleranceOf(bucket),
        ms: (cost * bucket.perMs) / bucket.tokens,
      }));
      const asked = { claims, slots: slots.map(({ max }) => max), lease: lease?.id ?? '', leaseMs };
      const answer = (await redis.run('takeLimits', names, [JSON.stringify(asked)])) as [number, number];
      const [refused, retryAfterMs] = answer;
      if (refused === 0) return { allowed: true };
      const { key } = [...tokens, ...slots][refused - 1] as { key: string };
      return { allowed: false, key, retryAfterMs };
    },
    async renew(leases, leaseMs) {
      const held = leases.flatMap(({ id, slots }) => slots.map(({ key }) => [keys.slots(key), id] as const));
      if (held.length === 0) return;
      const names = held.map(([name]) => name);
      await redis.run('renewLeases', names, [leaseMs, ...held.map(([, id]) => id)]);
    },
    async release({ id, slots }) {
      if (slots.length === 0) return;
      await redis.run(
        'releaseLease',
        slots.map(({ key }) => keys.slots(key)),
        [id],
      );
    },
  };
}
