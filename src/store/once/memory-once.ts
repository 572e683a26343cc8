/** What may happen once, in the memory of this process. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { type LiveKey, LiveKeys } from './live-keys.ts';
import { createMemoryRuns } from './memory-runs.ts';
import type { OnceLimit, OnceRun, OnceState, OnceStore } from './once-store.ts';

/** The options of `createMemoryOnce()`. */
export interface MemoryOnceOptions {
  /** How many live keys are remembered, used ones and those of runs each; a further one is refused. Default 200,000. */
  readonly maxKeys?: number;
  /** How many of them one owner may have; a further one of this owner is refused. Default 50,000. */
  readonly maxKeysPerOwner?: number;
  /** Characters of the stored texts of runs; beyond it the oldest are dropped. Default 16 million. */
  readonly maxChars?: number;
  /** Characters of the stored texts of one owner; beyond it the oldest of this owner are dropped. Default 4 million. */
  readonly maxCharsPerOwner?: number;
  /** The clock by which keys expire, in milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/** A store of what may happen once, in the memory of this process: it answers at once. */
export interface MemoryOnce extends OnceStore {
  burn(key: string, expiresAt: number, owner?: string): boolean;
  begin(owner: string, key: string, run: OnceRun): OnceState;
  end(owner: string, key: string, holder: string, text: string | undefined): boolean;
  release(owner: string, key: string, holder: string): boolean;
  renew(owner: string, key: string, holder: string, leaseMs: number): boolean;
  /** Forgets everything. For tests. */
  clear(): void;
}

/** Creates a store of what may happen once, in memory. It is bounded: without room it refuses, and never drops a live key. */
export function createMemoryOnce(options: MemoryOnceOptions = {}): MemoryOnce {
  const { maxKeys = 200_000, maxKeysPerOwner = 50_000, now = () => Date.now() } = options;
  const { maxChars = 16_000_000, maxCharsPerOwner = 4_000_000 } = options;
  const used = new LiveKeys<LiveKey>({ maxKeys, maxKeysPerOwner });
  const runs = createMemoryRuns({ maxKeys, maxKeysPerOwner, maxChars, maxCharsPerOwner }, now);
  return {
    burn(key, expiresAt, owner = '') {
      const moment = now();
      if (used.find(key, moment) !== undefined) return false;
      if (expiresAt <= moment) return true;
      const limit = used.refusal(owner, moment);
      if (limit !== undefined) throw full(limit, { maxKeys, maxKeysPerOwner }[limit]);
      used.add(key, { owner, expires: expiresAt });
      return true;
    },
    begin: runs.begin,
    end: runs.end,
    release: runs.release,
    renew: runs.renew,
    clear() {
      used.clear();
      runs.clear();
    },
  };
}

const full = (limit: OnceLimit, max: number): TenonError => {
  const why = limit === 'maxKeys' ? `the store has ${max} live keys` : `one owner has ${max} live keys`;
  return new TenonError('store-failed', `A key that may be used once could not be stored: ${why}.`, {
    hint: `Try again when some have expired, or raise ${limit} of createMemoryOnce().`,
    details: { limit },
  });
};
