/** Which nodes live, in Redis: one sorted set, by the time until which each lives. */
import type { NodeStore } from '../store/nodes/node-store.ts';
import type { ScriptedRedis } from './connection/scripted.ts';
import type { RedisKeys } from './keys.ts';

export function createRedisNodes(redis: ScriptedRedis, keys: RedisKeys): NodeStore {
  return {
    async beat(node, ttlMs) {
      return (await redis.run('beatNode', [keys.nodes], [node, ttlMs])) as string[];
    },
    async leave(node) {
      await redis.run('leaveNode', [keys.nodes], [node]);
    },
  };
}
