/** A connection to Redis: commands are bounded in time, and fail by name where there is no connection. */
import type { Redis } from 'ioredis';
import { TenonError } from '../lib/errors/tenon-error.ts';

export interface RedisConnectionOptions {
  /** How long a command may take. */
  readonly commandMs: number;
  /** How long connecting may take. */
  readonly connectMs: number;
  readonly onError: (cause: unknown) => void;
}

/** Connects, and connects again whenever the connection is lost. Rejects if the first attempt fails. */
export async function connectRedis(url: string, options: RedisConnectionOptions): Promise<Redis> {
  const { commandMs, connectMs, onError } = options;
  const { Redis } = await loadIoredis();
  const settings = {
    lazyConnect: true,
    connectTimeout: connectMs,
    commandTimeout: commandMs,
    // A command without a connection fails at once: what waits could run long after its caller has failed.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // A lost command may have been carried out: only callers know whether it may be repeated.
    autoResendUnfulfilledCommands: false,
    // The bus subscribes again itself: it has to know when that is done.
    autoResubscribe: false,
    // A master that became a replica leaves its connections open: the address may lead to the new master.
    reconnectOnError: (cause: Error) => isReadOnly(cause.message),
    retryStrategy: (attempts: number) => Math.min(2 ** attempts * 10, 1000) * (0.5 + Math.random()),
  };
  const redis = new Redis(url, settings);
  let isConnected = false;
  /** Why connecting failed: `connect()` itself only says that the connection is closed. */
  let reason: unknown;
  redis.on('error', (cause) => {
    reason ??= cause;
    if (isConnected) onError(failed(cause));
  });
  try {
    await redis.connect();
    // ioredis would go on with database 0 where Redis does not have that of the URL.
    if (redis.options.db) await redis.select(redis.options.db);
  } catch (cause) {
    redis.disconnect();
    throw notConnected(url, reason ?? cause);
  }
  isConnected = true;
  redis.on('ready', () => void (isConnected = true));
  redis.on('close', () => {
    if (isConnected) onError(lost());
    isConnected = false;
  });
  return redis;
}

async function loadIoredis() {
  try {
    return await import('ioredis');
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new TenonError('missing-package', 'The package ioredis is not installed.', {
      hint: 'Run `npm install ioredis`.',
      cause,
    });
  }
}

/** Runs a command; what fails has a name. */
export async function named<T>(command: Promise<T>): Promise<T> {
  try {
    return await command;
  } catch (cause) {
    throw failed(cause);
  }
}

export function failed(cause: unknown): TenonError {
  if (cause instanceof TenonError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  if (message === 'Command timed out')
    return new TenonError('store-timeout', 'Redis did not answer in time.', {
      hint: 'The command may have been carried out. Look at the load of Redis, or raise timeouts.commandMs.',
      cause,
    });
  if (/isn't writeable|Connection is closed|max retries per request/.test(message))
    return new TenonError('store-failed', 'There is no connection to Redis.', {
      hint: 'It is made again in the background; try again later.',
      cause,
    });
  const hint = 'This Redis is a replica: use an address that follows the master. The connection is made again.';
  return new TenonError('store-failed', `Redis failed: ${message}.`, { cause, ...(isReadOnly(message) && { hint }) });
}

const isReadOnly = (message: string): boolean => message.startsWith('READONLY');

const lost = (): TenonError =>
  new TenonError('store-failed', 'The connection to Redis was lost.', {
    hint: 'It is made again in the background; until then operations fail.',
  });

/** A URL may contain a password: only its host is part of errors. */
const hostIn = (url: string): string => /^rediss?:\/\/(?:[^/]*@)?([^/?#]*)/i.exec(url)?.[1] || 'localhost';

const notConnected = (url: string, cause: unknown): TenonError => {
  const message = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
  return new TenonError('store-failed', `Redis at ${hostIn(url)} cannot be reached: ${message}.`, {
    hint: 'Check the address and the password, and that Redis runs.',
    cause,
  });
};
