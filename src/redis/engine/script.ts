/** A script that runs inside Redis, by its hash. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { named } from '../connection.ts';

export class Script {
  readonly #text: string;
  readonly #hash: string;

  constructor(text: string) {
    this.#text = text;
    this.#hash = createHash('sha1').update(text).digest('hex');
  }

  /** Loads it ahead: one that has to be sent with its text would run after those that were sent meanwhile. */
  async load(redis: Redis): Promise<void> {
    await named(redis.script('LOAD', this.#text));
  }

  run(redis: Redis, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown> {
    return named(this.#run(redis, [keys.length, ...keys, ...values] as unknown as [number]));
  }

  async #run(redis: Redis, all: [number]): Promise<unknown> {
    try {
      return await redis.evalsha(this.#hash, ...all);
    } catch (error) {
      // Redis forgets its scripts when it restarts, or by SCRIPT FLUSH.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return redis.eval(this.#text, ...all);
    }
  }
}
