/** A store in the memory of this process, and single parts of one. */
import { risingClock } from '../lib/time/rising-clock.ts';
import type { ApprovalStore } from './approval-store.ts';
import { plainCodec } from './codec.ts';
import type { StoreDriver } from './driver.ts';
import type { LimitStore } from './limit-store.ts';
import { Buckets, maxBucketChars } from './memory/buckets.ts';
import { MemoryLimits } from './memory/limits.ts';
import { createMemoryDriver } from './memory/memory-driver.ts';
import type { OnceStore } from './once-store.ts';
import { approvalsOn } from './parts/approvals.ts';
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

/**
 * Live keys in memory, used ones and those of runs each.
 * @limit store
 * @beyond `burn` throws, and `begin` returns `full`, until some expire
 * @code store-failed
 */
const maxKeys = 200_000;

/**
 * Of these, those of one owner.
 * @limit store
 * @beyond the same for that owner
 * @code store-failed
 */
const maxKeysPerOwner = 50_000;

/**
 * Characters of stored results in memory.
 * @limit store
 * @beyond the oldest are dropped; a repeat gets an error
 */
const maxChars = 16_000_000;

/**
 * Of these, those of one owner.
 * @limit store
 * @beyond the oldest of that owner are dropped
 */
const maxCharsPerOwner = 4_000_000;

/**
 * Live keys of calls without a principal, on an engine of your own.
 * @limit store
 * @beyond `begin` returns `full` in that sixteenth of the keys, until some expire
 * @code store-failed
 */
const maxSharedKeys = 1_000_000;

/**
 * Characters of their results.
 * @limit store
 * @beyond the oldest of that sixteenth are dropped
 */
const maxSharedChars = 256_000_000;

const defaultOnce: OnceLimits = {
  maxKeys,
  maxKeysPerOwner,
  maxChars,
  maxCharsPerOwner,
  maxSharedKeys,
  maxSharedChars,
};

/**
 * Buckets in memory that are not full, and leases of slots.
 * @limit store
 * @beyond further keys share 1024 buckets; further leases are refused
 * @code rate-limited
 */
const maxSlots = 100_000;

/**
 * Rows of an authorization server in memory, of each kind: refresh tokens, grants, accounts.
 * @limit store
 * @beyond no new one is stored
 * @code store-failed
 */
const maxAuthorizations = 100_000;

const defaultLimits: StoreLimits = {
  once: defaultOnce,
  credentials: { maxEntries: 10_000, lockTimeoutMs: 300_000, lockLeaseMs: 30_000 },
  maxConsents: 10_000,
  maxSlots,
  maxAuthorizations,
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

/**
 * Makes a store of an engine that you have written. `testStoreDriver` of `tenon/store/testing` proves the engine.
 *
 * @example
 * ```ts
 * await serveHttp(server, { store: createStore(driver) });
 * ```
 */
export const createStore = (driver: StoreDriver): WholeStore =>
  storeOn(driver, {
    codec: plainCodec,
    limits: {
      ...defaultLimits,
      once: { ...defaultOnce, maxKeys: Infinity, maxChars: Infinity },
      maxAuthorizations: Infinity,
    },
    now: () => Date.now(),
    onError: () => undefined,
  });

/** What may happen once, in the memory of this process. It is bounded: without room it refuses, and never drops a live key. */
export const memoryOnce = (limits: Partial<OnceLimits> = {}, now: () => number = () => Date.now()): OnceStore =>
  onceOn(createMemoryDriver({ now }), plainCodec, { ...defaultOnce, ...limits }, now);

/** Approvals in the memory of this process. */
export const memoryApprovals = (now: () => number = () => Date.now()): ApprovalStore =>
  approvalsOn(createMemoryDriver({ now }), plainCodec);

/** How many buckets and slots are stored in memory. */
export interface MemoryLimitsOptions {
  /** Buckets that are not full, and leases. Further buckets are shared. */
  readonly maxKeys?: number;
  /** Characters of the keys of buckets. */
  readonly maxKeyChars?: number;
  readonly now?: () => number;
}

/** Token buckets and slots in the memory of this process: a flood of callers cannot make it forget a limited one. */
export const memoryLimits = ({
  maxKeys = maxSlots,
  maxKeyChars = maxBucketChars,
  now = () => Date.now(),
}: MemoryLimitsOptions = {}): LimitStore =>
  new MemoryLimits(risingClock(now), new Buckets(maxKeys, maxKeyChars), maxKeys);
