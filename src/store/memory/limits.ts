/** Token buckets and slots in memory, without an engine: the limits of one process answer within a microsecond. */
import { roundingMs } from '../driver.ts';
import type { Lease, LimitAnswer, LimitStore, Slot, TokenBucket, TokenClaim } from '../limit-store.ts';
import type { Buckets } from './buckets.ts';

/** Who holds the slots of one key, and until when. Those that were held or renewed last are at the end. */
type Holders = Map<string, number>;

type Refused = Extract<LimitAnswer, { allowed: false }>;

const allowed: LimitAnswer = { allowed: true };

/** How long a bucket takes to gain the tokens. */
const timeOf = (count: number, { tokens, perMs }: TokenBucket): number => (count * perMs) / tokens;

/** In a table without room, leases that have expired are looked for no more often. */
const sweepEveryMs = 1000;

export class MemoryLimits implements LimitStore {
  readonly #now: () => number;
  readonly #buckets: Buckets;
  readonly #maxSlots: number;
  readonly #held = new Map<string, Holders>();
  #count = 0;
  #sweptAt = Number.NEGATIVE_INFINITY;

  /** `now` never falls. */
  constructor(now: () => number, buckets: Buckets, maxSlots: number) {
    this.#now = now;
    this.#buckets = buckets;
    this.#maxSlots = maxSlots;
  }

  take(tokens: readonly TokenClaim[], lease?: Lease, leaseMs = 0): LimitAnswer {
    const now = this.#now();
    const slots = lease?.slots ?? [];
    const missing = this.#missingTokens(tokens, now);
    if (missing !== undefined) return missing;
    const taken = slots.find((slot) => !this.#isFree(slot, now));
    if (taken !== undefined) return { allowed: false, key: taken.key, retryAfterMs: 0 };
    for (const { key, cost, bucket } of tokens)
      this.#buckets.take(key, timeOf(cost, bucket), timeOf(bucket.burst, bucket), now);
    if (lease !== undefined) this.#hold(lease, now + leaseMs);
    return allowed;
  }

  renew(leases: readonly Lease[], leaseMs: number): void {
    const until = this.#now() + leaseMs;
    for (const lease of leases) this.#hold(lease, until);
  }

  release({ id, slots }: Lease): void {
    for (const { key } of slots) {
      const holders = this.#held.get(key);
      if (holders?.delete(id) !== true) continue;
      this.#count--;
      if (holders.size === 0) this.#held.delete(key);
    }
  }

  /** Of several buckets without enough tokens, the one that takes longest. */
  #missingTokens(tokens: readonly TokenClaim[], now: number): Refused | undefined {
    let longest = 0;
    let missing: string | undefined;
    for (const { key, cost, bucket } of tokens) {
      const wait = this.#buckets.wait(key, timeOf(cost, bucket), timeOf(bucket.burst, bucket), now);
      if (wait > longest + roundingMs) [longest, missing] = [wait, key];
    }
    return missing === undefined ? undefined : { allowed: false, key: missing, retryAfterMs: Math.ceil(longest) };
  }

  #isFree({ key, max }: Slot, now: number): boolean {
    const holders = this.#held.get(key);
    if (holders !== undefined && holders.size >= max) {
      this.#expire(key, holders, now);
      if (holders.size >= max) return false;
    }
    if (this.#count >= this.#maxSlots && now - this.#sweptAt >= sweepEveryMs) {
      this.#sweptAt = now;
      for (const [name, each] of this.#held) this.#expire(name, each, now);
    }
    return this.#count < this.#maxSlots;
  }

  #hold({ id, slots }: Lease, until: number): void {
    for (const { key } of slots) {
      let holders = this.#held.get(key);
      if (holders === undefined) this.#held.set(key, (holders = new Map()));
      if (!holders.delete(id)) this.#count++;
      holders.set(id, until);
    }
  }

  /** All leases have the same length, so that the first ones expire first. */
  #expire(key: string, holders: Holders, now: number): void {
    for (const [id, until] of holders) {
      if (until > now) break;
      holders.delete(id);
      this.#count--;
    }
    if (holders.size === 0) this.#held.delete(key);
  }
}
