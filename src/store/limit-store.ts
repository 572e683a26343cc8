/** The interface of a store of limits: token buckets, and slots that are leased. All nodes of a server can share one. */
import type { MaybePromise } from '../lib/values/maybe-promise.ts';

/** A token bucket: it gains `tokens` every `perMs`, evenly, and holds at most `burst`. A new one is full. */
export interface TokenBucket {
  /** How many it gains. */
  readonly tokens: number;
  /** In how many milliseconds. */
  readonly perMs: number;
  /** How many it holds when it is full. */
  readonly burst: number;
}

/** Tokens wanted of the bucket of a key. `cost` is over 0 and at most `bucket.burst`. */
export interface TokenClaim {
  /** Names the bucket. */
  readonly key: string;
  /** How many tokens. */
  readonly cost: number;
  /** The bucket of the key, which is made full if there is none. */
  readonly bucket: TokenBucket;
}

/** One of `max` slots of a key. */
export interface Slot {
  /** Names the slots. */
  readonly key: string;
  /** How many there are. */
  readonly max: number;
}

/** The slots of one call. They are free again when the lease is released, or was not renewed in time. */
export interface Lease {
  /** Names the lease, on all nodes. */
  readonly id: string;
  /** At most one for each key. */
  readonly slots: readonly Slot[];
}

/** The answer to `take`. */
export type LimitAnswer =
  | { readonly allowed: true }
  | {
      readonly allowed: false;
      /** The bucket or slot that is not free; of several the one that takes longest. */
      readonly key: string;
      /** When the tokens are there, unless another caller takes them before. 0 for a slot: it is free when a call ends. */
      readonly retryAfterMs: number;
    };

/**
 * Holds token buckets and leases. Every method is atomic. Only durations are passed: times are those of the store's own
 * clock, so that the clocks of nodes may differ. A clock that is set back never empties a bucket for longer than it takes
 * to fill. A bucket that is not full is never forgotten for room: that would forgive a limited caller.
 */
export interface LimitStore {
  /** Takes all tokens and all slots, or none of them. Keys of buckets and of slots are apart. */
  take(tokens: readonly TokenClaim[], lease?: Lease, leaseMs?: number): MaybePromise<LimitAnswer>;
  /** Holds leases for `leaseMs` from now on. One that has expired is taken again: its call still runs. */
  renew(leases: readonly Lease[], leaseMs: number): MaybePromise<void>;
  /** Frees the slots of a lease. Does nothing for one that is not held. */
  release(lease: Lease): MaybePromise<void>;
}
