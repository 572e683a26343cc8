/** A store in the memory of this process, and single parts of one. */
import { plainCodec } from './codec.ts';
import type { LimitStore } from './limits/limit-store.ts';
import { createMemoryDriver } from './memory/memory-driver.ts';
import type { OnceStore } from './once/once-store.ts';
import { limitsOn } from './parts/limits.ts';
import { type OnceLimits, onceOn } from './parts/once.ts';
import { type StoreLimits, storeOn, type WholeStore } from './parts/parts.ts';

/** The options of `createMemoryStore()`. */
export interface MemoryStoreOptions {
  /** The clock by which records expire, in milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/** A store in the memory of this process. */
export interface MemoryStore extends WholeStore {
  readonly name: 'memory';
  readonly durability: 'memory';
  /** Deletes everything, as if the store had lost its contents. For tests. */
  clear(): void;
}

const defaultOnce: OnceLimits = {
  maxKeys: 200_000,
  maxKeysPerOwner: 50_000,
  maxChars: 16_000_000,
  maxCharsPerOwner: 4_000_000,
};

const maxSlots = 100_000;

const defaultLimits: StoreLimits = {
  once: defaultOnce,
  credentials: { maxEntries: 10_000, lockTimeoutMs: 300_000, lockLeaseMs: 30_000 },
  maxConsents: 10_000,
  maxSlots,
};

/** Creates a store in memory. Endpoints of one process that share it serve the same sessions: `serveHttp(server, { store })`. */
export function createMemoryStore({ now }: MemoryStoreOptions = {}): MemoryStore {
  const driver = createMemoryDriver(now === undefined ? {} : { now });
  const store = storeOn(driver, {
    codec: plainCodec,
    limits: defaultLimits,
    now: now ?? (() => Date.now()),
    onError: () => undefined,
  });
  return { ...store, name: 'memory', durability: 'memory', clear: () => driver.clear() };
}

/** What may happen once, in the memory of this process. It is bounded: without room it refuses, and never drops a live key. */
export const memoryOnce = (limits: Partial<OnceLimits> = {}, now: () => number = () => Date.now()): OnceStore =>
  onceOn(createMemoryDriver({ now }), plainCodec, { ...defaultOnce, ...limits }, now);

/** Token buckets and slots in the memory of this process. */
export const memoryLimits = (): LimitStore => limitsOn(createMemoryDriver(), plainCodec, maxSlots);
