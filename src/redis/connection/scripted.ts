/** Redis with the scripts of a store: they run by their hash. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { scripts } from '../scripts/scripts.ts';
import { named } from './connection.ts';

export type ScriptName = keyof typeof scripts;

const hashes = Object.fromEntries(
  Object.entries(scripts).map(([name, text]) => [name, createHash('sha1').update(text).digest('hex')]),
) as Readonly<Record<ScriptName, string>>;

export class ScriptedRedis {
  readonly redis: Redis;
  readonly #now: (() => number) | undefined;

  /** Without `now`, scripts use the time of Redis. */
  constructor(redis: Redis, now: (() => number) | undefined) {
    this.redis = redis;
    this.#now = now;
  }

  /** Loads the scripts ahead: one that has to be sent with its text would run after those that were sent meanwhile. */
  async load(): Promise<void> {
    await named(Promise.all(Object.values(scripts).map((text) => this.redis.script('LOAD', text))));
  }

  /** Runs a script. Its first value is always the clock. */
  run(name: ScriptName, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown> {
    return named(this.#run(name, [keys.length, ...keys, this.#now?.() ?? '', ...values]));
  }

  async #run(name: ScriptName, values: readonly (string | number)[]): Promise<unknown> {
    const all = values as unknown as [number];
    try {
      return await this.redis.evalsha(hashes[name], ...all);
    } catch (error) {
      // Redis forgets its scripts when it restarts, or by SCRIPT FLUSH.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return this.redis.eval(scripts[name], ...all);
    }
  }
}
