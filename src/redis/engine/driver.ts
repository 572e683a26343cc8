/** An engine in Redis, which processes on many machines can share: a run is one script, and so is taking. */
import type { Redis } from 'ioredis';
import { decodeText } from '../../driver/unfit-texts.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { StoreDriver } from '../../store/driver.ts';
import { createRedisBus } from '../bus.ts';
import { connectRedis } from '../connection.ts';
import { type RedisDriverOptions, RedisEngine } from './engine.ts';

/** Opens an engine in Redis 7.0 or newer, at a URL such as `redis://localhost:6379`. */
export async function openRedisDriver(url: string, options: RedisDriverOptions = {}): Promise<StoreDriver> {
  if (!isRedisUrl(url)) throw notUrl();
  const { timeouts: { commandMs = 2000, connectMs = 5000 } = {} } = options;
  let isClosed = false;
  const onError = (cause: unknown): void => {
    if (!isClosed) options.onError?.(cause);
  };
  const redis = await connectRedis(url, { commandMs, connectMs, onError });
  const engine = new RedisEngine(redis, options);
  const listening = await closeOnError([redis], async () => {
    await engine.ready();
    return connectRedis(url, { commandMs, connectMs, onError });
  });
  redis.on('close', () => engine.lost());
  redis.on('ready', () => void engine.ready().catch(onError));
  const bus = createRedisBus(redis, listening, engine.keys, onError);
  return {
    name: 'redis',
    get durability() {
      return engine.durability;
    },
    get epoch() {
      return engine.epoch;
    },
    async run(partition, ops) {
      await engine.ready();
      return engine.run(partition, ops);
    },
    async take(request) {
      await engine.ready();
      return engine.take(request);
    },
    subscribe: (topic, onMessage, onMissed) => bus.subscribe(topic, (text) => onMessage(decodeText(text)), onMissed),
    // Redis deletes what has expired.
    sweep: () => 0,
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

/** A host, a port below 65536, and the number of a database, if there is one. */
function isRedisUrl(url: unknown): url is string {
  if (typeof url !== 'string' || !/^rediss?:\/\//i.test(url)) return false;
  // ioredis throws an error that contains the password.
  return URL.canParse(url) && /^\/?\d*$/.test(new URL(url).pathname);
}

/** Without the URL, which may contain a password. */
const notUrl = (): TenonError =>
  new TenonError('invalid-argument', 'openRedisStore(): the address is not a URL of Redis.', {
    hint: 'Pass one such as redis://localhost:6379, rediss://… for TLS, or redis://localhost:6379/1 for database 1.',
    details: { place: 'url' },
  });
