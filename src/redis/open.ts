/** Opens a store in Redis, which servers on many machines can share. */
import type { Redis } from 'ioredis';
import { TenonError } from '../jsonrpc/errors.ts';
import { callback, checkOptions, duration, group, type Rule, type Rules } from '../protocol/option-rules.ts';
import type { LimitStore } from '../store/limits/limit-store.ts';
import type { NodeStore } from '../store/nodes/node-store.ts';
import type { OnceStore } from '../store/once/once-store.ts';
import type { Store } from '../store/store.ts';
import { createRedisBus } from './bus.ts';
import { connectRedis, named } from './connection.ts';
import { createRedisEvents } from './events.ts';
import { keysWith } from './keys.ts';
import { createRedisLimits } from './limits.ts';
import { createRedisNodes } from './nodes.ts';
import { ScriptedRedis } from './scripted.ts';
import { createRedisSessions } from './sessions.ts';

/** How long Redis may take. */
export interface RedisTimeouts {
  /** For one command; then it fails with `store-timeout`. Default 2000. */
  readonly commandMs?: number;
  /** For connecting. Default 5000. */
  readonly connectMs?: number;
}

/** Options of `openRedisStore`. */
export interface RedisStoreOptions {
  /** The start of all keys and channels, so that several servers can share one Redis. Default none. */
  readonly prefix?: string;
  /** How long Redis may take. */
  readonly timeouts?: RedisTimeouts;
  /** Called with what fails in the background, such as the loss of the connection, which is made again. */
  readonly onError?: (error: unknown) => void;
  /** The clock by which records expire, in milliseconds since the Unix epoch. Default the time of Redis, which all nodes share. */
  readonly now?: () => number;
}

/** A store in Redis. */
export interface RedisStore extends Store {
  /** Keys that may be used once. */
  readonly once: OnceStore;
  /** Rates and slots: pass it as `limits.store` of `guard`. */
  readonly limits: LimitStore;
  /** Which nodes live. */
  readonly nodes: NodeStore;
  /** Closes the connections. Operations fail from then on. */
  close(): Promise<void>;
}

const text: Rule = { holds: (value) => typeof value === 'string', must: 'be a text' };

const rules: Rules & Record<keyof RedisStoreOptions, Rule> = {
  prefix: { holds: (value) => typeof value === 'string' && !/[{}]/.test(value), must: 'be a text without braces' },
  timeouts: group({ commandMs: duration, connectMs: duration }),
  onError: callback,
  now: callback,
};

/** Opens a store in Redis 7.0 or newer, at a URL such as `redis://localhost:6379`. */
export async function openRedisStore(url: string, options: RedisStoreOptions = {}): Promise<RedisStore> {
  checkOptions('openRedisStore()', options, rules, 'invalid-argument');
  if (!text.holds(url) || !/^rediss?:\/\//.test(url)) throw notUrl();
  const { prefix = '', timeouts = {}, now } = options;
  const { commandMs = 2000, connectMs = 5000 } = timeouts;
  let isClosed = false;
  const onError = (cause: unknown): void => {
    if (!isClosed) options.onError?.(cause);
  };
  const keys = keysWith(prefix);
  const redis = await connectRedis(url, { commandMs, connectMs, onError });
  const listening = await closeOnError([redis], () => connectRedis(url, { commandMs, connectMs, onError }));
  const scripted = new ScriptedRedis(redis, now);
  let epoch = '';

  /** The epoch is a key: a Redis that has lost its contents gets another. */
  async function prepare(): Promise<void> {
    await scripted.load();
    await named(redis.set(keys.epoch, crypto.randomUUID(), 'NX'));
    epoch = (await named(redis.get(keys.epoch))) ?? epoch;
  }

  await closeOnError([redis, listening], prepare);
  redis.on('ready', () => void prepare().catch(onError));
  const bus = createRedisBus(redis, listening, keys, onError);
  return {
    sessions: createRedisSessions(scripted, keys, () => epoch),
    events: createRedisEvents(scripted, keys),
    bus,
    limits: createRedisLimits(scripted, keys),
    nodes: createRedisNodes(scripted, keys),
    once: {
      async burn(key, expiresAt) {
        return (await scripted.run('burnKey', [keys.used(key)], [expiresAt])) === 1;
      },
    },
    async close() {
      isClosed = true;
      bus.close();
      redis.disconnect();
      listening.disconnect();
    },
  };
}

async function closeOnError<T>(connections: readonly Redis[], run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    for (const connection of connections) connection.disconnect();
    throw error;
  }
}

const notUrl = (): TenonError =>
  new TenonError('invalid-argument', 'openRedisStore(): the address is not a URL of Redis.', {
    hint: 'Pass one such as redis://localhost:6379, or rediss://… for TLS.',
  });
