/** Token buckets and leases in the memory of this process. */
import { Buckets } from './buckets.ts';
import { Leases } from './leases.ts';
import type { Lease, LimitAnswer, LimitStore, TokenClaim } from './limit-store.ts';

/** The options of `createMemoryLimits()`. */
export interface MemoryLimitsOptions {
  /** How many buckets that are not full are stored, and how many leases. Default 100,000. Further buckets are shared. */
  readonly maxKeys?: number;
  /** How many characters their keys have together. Default 16 Mi. */
  readonly maxKeyChars?: number;
  /** The clock, in milliseconds. Default `performance.now`, which is never set back. */
  readonly now?: () => number;
}

/** A store of limits in the memory of this process. */
export interface MemoryLimits extends LimitStore {
  take(tokens: readonly TokenClaim[], lease?: Lease, leaseMs?: number): LimitAnswer;
  renew(leases: readonly Lease[], leaseMs: number): void;
  release(lease: Lease): void;
  /** Forgets everything. For tests. */
  clear(): void;
}

const allowed: LimitAnswer = { allowed: true };

/**
 * Creates a store of limits in memory. It is bounded: when `maxKeys` buckets are in use, further keys share a few
 * buckets, so that a flood of callers cannot make it forget a limited one.
 */
export function createMemoryLimits(options: MemoryLimitsOptions = {}): MemoryLimits {
  const { maxKeys = 100_000, maxKeyChars = 16 * 1024 * 1024, now = () => performance.now() } = options;
  const buckets = new Buckets(maxKeys, maxKeyChars);
  const leases = new Leases(maxKeys);
  return {
    take(tokens, lease, leaseMs = 0) {
      const moment = now();
      const refused = buckets.refusal(tokens, moment) ?? (lease && leases.refusal(lease, moment));
      if (refused !== undefined) return refused;
      for (const claim of tokens) buckets.take(claim, moment);
      if (lease !== undefined) leases.hold(lease, moment + leaseMs);
      return allowed;
    },
    renew(held, leaseMs) {
      const until = now() + leaseMs;
      for (const lease of held) leases.hold(lease, until);
    },
    release: (lease) => leases.release(lease),
    clear() {
      buckets.clear();
      leases.clear();
    },
  };
}
