/** Opens a store in Redis, which servers on many machines can share. */
import type { Redis } from 'ioredis';
import { codecFor } from '../driver/encryption/open-codec.ts';
import { checkShared, type SharedStoreOptions, sharedRules } from '../driver/options.ts';
import { storeParts } from '../driver/store-parts.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { callback, checkOptions, count, duration, group, type Rule, type Rules } from '../lib/options/option-rules.ts';
import type { ConsentStore } from '../store/consents/consent-store.ts';
import type { CredentialStore } from '../store/credentials/credential-store.ts';
import { type Durability, requireDurability } from '../store/durability.ts';
import type { LimitStore } from '../store/limits/limit-store.ts';
import type { NodeStore } from '../store/nodes/node-store.ts';
import type { OnceStore } from '../store/once/once-store.ts';
import type { Store } from '../store/store.ts';
import type { TaskStore } from '../store/tasks/task-store.ts';
import { createRedisBus } from './bus.ts';
import { connectRedis } from './connection/connection.ts';
import { readDurability } from './connection/durability.ts';
import { ScriptedRedis } from './connection/scripted.ts';
import { createConsentRows, createCredentialRows } from './credentials.ts';
import { createRedisEvents } from './events.ts';
import { dataVersion, keysWith } from './keys.ts';
import { createRedisLimits } from './limits.ts';
import { createRedisNodes } from './nodes.ts';
import { createRedisOnce } from './once.ts';
import { createRedisSessions } from './sessions.ts';
import { createRedisTasks } from './tasks.ts';

/** How long Redis may take. */
export interface RedisTimeouts {
  /** For one command; then it fails with `store-timeout`. Default 2000. */
  readonly commandMs?: number;
  /** For connecting. Default 5000. */
  readonly connectMs?: number;
}

/** Options of `openRedisStore`. */
export interface RedisStoreOptions extends SharedStoreOptions {
  /** The start of all keys and channels, so that several servers can share one Redis. Default none. */
  readonly prefix?: string;
  /**
   * What Redis must give: `process` needs `appendonly yes`, `disk` also `appendfsync always`. With less, opening fails with
   * `store-not-durable`. Default: whatever Redis is set to; `durability` of the store is that.
   */
  readonly durability?: 'process' | 'disk';
  /** How long Redis may take. */
  readonly timeouts?: RedisTimeouts;
  /** How many live keys of runs one owner may have. Default 50,000. */
  readonly maxKeysPerOwner?: number;
  /** Characters of the stored results of one owner; beyond it the oldest of this owner are dropped. Default 16 million. */
  readonly maxCharsPerOwner?: number;
  /** Called with what fails in the background, such as the loss of the connection, which is made again. */
  readonly onError?: (error: unknown) => void;
  /** The clock by which records expire, in milliseconds since the Unix epoch. Default the time of Redis, which all nodes share. */
  readonly now?: () => number;
}

/** A store in Redis. */
export interface RedisStore extends Store {
  readonly name: 'redis';
  /** What the settings of Redis give; `unknown` where they cannot be read. It is read again with every connection. */
  readonly durability: Durability;
  /** Keys that may be used once. */
  readonly once: OnceStore;
  /** Rates and slots: pass it as `limits.store` of `guard`. */
  readonly limits: LimitStore;
  /** Tasks and their journals. */
  readonly tasks: TaskStore;
  /** Answers of users: pass it as `consentStore` of `createHost`. */
  readonly consents: ConsentStore;
  /** Tokens of clients: pass it as the store of credentials. */
  readonly credentials: CredentialStore;
  /** Which nodes live. */
  readonly nodes: NodeStore;
  /** Closes the connections. Operations fail from then on. */
  close(): Promise<void>;
}

const rules: Rules & Record<keyof RedisStoreOptions, Rule> = {
  prefix: { holds: (value) => typeof value === 'string' && !/[{}]/.test(value), must: 'be a text without braces' },
  durability: {
    holds: (value) => value === 'process' || value === 'disk',
    must: "be 'process' or 'disk'",
  },
  timeouts: group({ commandMs: duration, connectMs: duration }),
  maxKeysPerOwner: count,
  maxCharsPerOwner: count,
  ...sharedRules,
  onError: callback,
  now: callback,
};

/** Opens a store in Redis 7.0 or newer, at a URL such as `redis://localhost:6379`. */
export async function openRedisStore(url: string, options: RedisStoreOptions = {}): Promise<RedisStore> {
  checkOptions('openRedisStore()', options, rules, 'invalid-argument');
  checkShared('openRedisStore()', options);
  if (!isRedisUrl(url)) throw notUrl();
  const { prefix = '', timeouts = {}, now } = options;
  const { commandMs = 2000, connectMs = 5000 } = timeouts;
  const { maxKeysPerOwner = 50_000, maxCharsPerOwner = 16_000_000 } = options;
  let isClosed = false;
  const onError = (cause: unknown): void => {
    if (!isClosed) options.onError?.(cause);
  };
  const keys = keysWith(prefix);
  const codec = codecFor(options.encryption, prefix);
  const redis = await connectRedis(url, { commandMs, connectMs, onError });
  const listening = await closeOnError([redis], () => connectRedis(url, { commandMs, connectMs, onError }));
  const scripted = new ScriptedRedis(redis, now);
  let epoch = '';
  let durability: Durability = 'unknown';

  /** The epoch is a key: a Redis that has lost its contents gets another. */
  async function prepare(): Promise<void> {
    await scripted.load();
    const known = [keys.epoch, keys.marker, keys.version];
    const values = [crypto.randomUUID(), codec.newMarker(), dataVersion];
    const found = await scripted.run('prepareStore', known, values);
    const [current, marker, version] = found as [string, string, number];
    if (version > dataVersion) throw tooNew(version);
    const newer = codec.adopt(marker === '' ? undefined : marker);
    if (newer !== undefined) await scripted.run('replaceMarker', known, [marker, newer]);
    epoch = current;
    durability = await readDurability(redis);
    requireNeeded();
  }

  const requireNeeded = (): void => {
    if (options.durability === undefined) return;
    requireDurability({ name: 'redis', durability }, { option: 'durability', durability: options.durability });
  };

  await closeOnError([redis, listening], prepare);
  redis.on('ready', () => void prepare().catch(onError));
  const bus = createRedisBus(redis, listening, keys, onError);
  const parts = storeParts(
    {
      sessions: createRedisSessions(scripted, keys, () => epoch),
      bus,
      once: createRedisOnce(scripted, keys, { maxKeysPerOwner, maxCharsPerOwner }, codec),
      limits: createRedisLimits(scripted, keys),
      consents: createConsentRows(scripted, keys, options.consents),
      credentials: createCredentialRows(scripted, keys, options.credentials),
      tasks: createRedisTasks(scripted, keys),
    },
    codec,
    options,
    onError,
  );
  return {
    name: 'redis',
    get durability() {
      return durability;
    },
    ...parts,
    events: createRedisEvents(scripted, keys, codec),
    nodes: createRedisNodes(scripted, keys),
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

const tooNew = (version: number): TenonError =>
  new TenonError('store-too-new', `The store in Redis has version ${version}; this Tenon knows ${dataVersion}.`, {
    hint: 'Update Tenon, or use another prefix.',
    details: { version, known: dataVersion },
  });

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
