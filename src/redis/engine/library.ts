/** The functions of the engine that run inside Redis. They are one library, which Redis stores and replicates like data. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { named } from '../connection.ts';
import { clockLua } from './clock-lua.ts';
import { groupsLua } from './groups-lua.ts';
import { logsLua } from './logs-lua.ts';
import { openLua } from './open-lua.ts';
import { rowsLua } from './rows-lua.ts';
import { runLua } from './run-lua.ts';
import { takeLua } from './take-lua.ts';

const code = clockLua + logsLua + groupsLua + rowsLua + runLua + takeLua + openLua;

/** Versions of Tenon that share a Redis have libraries of their own. One that no process uses any more stays: it has a few kilobytes. */
const version = createHash('sha1').update(code).digest('hex').slice(0, 16);

/**
 * The function of Lua that each name calls, and its flags. Redis refuses writes when its memory is full: reading and deleting
 * go on.
 */
const functions = {
  run: ['run', ''],
  read: ['run', 'no-writes'],
  free: ['run', 'allow-oom'],
  take: ['take', ''],
  open: ['open', ''],
} as const;

export type FunctionName = keyof typeof functions;

const nameOf = (name: string): string => `tenon_${name}_${version}`;

const registered = Object.entries(functions).map(
  ([name, [callback, flag]]) =>
    `redis.register_function{ function_name = '${nameOf(name)}', callback = ${callback}, flags = { ${flag && `'${flag}'`} } }`,
);

const library = `#!lua name=tenon_${version}\n${code}${registered.join('\n')}\n`;

/** Loads the library, where Redis does not have it. */
export async function loadLibrary(redis: Redis): Promise<void> {
  try {
    await redis.function('LOAD', library);
  } catch (error) {
    if (!hasMessage(error, /already exists/)) await named(Promise.reject(error));
  }
}

/** Calls a function. Redis loses the library with its data, or by FUNCTION FLUSH. */
export async function callLibrary(
  redis: Redis,
  name: FunctionName,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<unknown> {
  const call = (): Promise<unknown> => {
    writeTogether(redis);
    return redis.fcall(nameOf(name), keys.length, ...keys, ...values);
  };
  try {
    return await call();
  } catch (error) {
    if (!hasMessage(error, /^ERR Function not found/)) return named(Promise.reject(error));
    await loadLibrary(redis);
    return named(call());
  }
}

/** What is sent in one turn of the event loop is one write here, and one read in Redis. */
function writeTogether({ stream }: Redis): void {
  if (stream === undefined || stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

const hasMessage = (error: unknown, message: RegExp): boolean => error instanceof Error && message.test(error.message);
