/** What may happen once, in Redis. Redis itself limits what all owners store together. */
import { type Codec, resultPath } from '../store/codec.ts';
import type { OnceState, OnceStore } from '../store/once/once-store.ts';
import type { ScriptedRedis } from './connection/scripted.ts';
import type { RedisKeys } from './keys.ts';

export interface RedisOnceLimits {
  readonly maxKeysPerOwner: number;
  readonly maxCharsPerOwner: number;
}

export function createRedisOnce(
  redis: ScriptedRedis,
  keys: RedisKeys,
  limits: RedisOnceLimits,
  codec: Codec,
): OnceStore {
  /** Scripts take 0 for no limit: keys without an owner are not limited. */
  const of = (owner: string, max: number): number => (owner === '' ? 0 : max);
  return {
    async burn(key, expiresAt) {
      return (await redis.run('burnKey', [keys.used(key)], [expiresAt])) === 1;
    },
    async begin(owner, key, { digest, holder, leaseMs, ttlMs }) {
      const values = [key, digest, holder, leaseMs, ttlMs, of(owner, limits.maxKeysPerOwner)];
      const open = (text: string): string => codec.open(resultPath(owner, key), text);
      return stateOf((await redis.run('beginRun', keys.runs(owner, key), values)) as RunAnswer, open);
    },
    async end(owner, key, holder, text) {
      // Limits are those of the text, however it is stored.
      const stored = text === undefined ? '' : codec.seal(resultPath(owner, key), text);
      const values = [key, holder, text?.length ?? '', stored, of(owner, limits.maxCharsPerOwner)];
      return (await redis.run('endRun', keys.runs(owner, key), values)) === 1;
    },
    async release(owner, key, holder) {
      return (await redis.run('releaseRun', keys.runs(owner, key), [key, holder])) === 1;
    },
    async renew(owner, key, holder, leaseMs) {
      return (await redis.run('renewRun', keys.runs(owner, key), [key, holder, leaseMs])) === 1;
    },
  };
}

type RunAnswer = readonly [state: OnceState['state'], value?: string | number | null];

function stateOf([state, value]: RunAnswer, open: (text: string) => string): OnceState {
  if (state === 'running') return { state, leaseMs: Number(value) };
  if (state === 'ended') return { state, text: typeof value === 'string' ? open(value) : undefined };
  return state === 'full' ? { state, limit: 'maxKeysPerOwner' } : { state };
}
