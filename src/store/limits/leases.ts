/** Leases of slots in memory: which hold the slots of each key, and until when. */
import type { Lease, LimitAnswer, Slot } from './limit-store.ts';

/** In a table without room, expired leases are looked for no more often. */
const sweepEveryMs = 1000;

export class Leases {
  readonly #max: number;
  #sweptAt = Number.NEGATIVE_INFINITY;
  /** For each key its leases, and when they expire. */
  readonly #held = new Map<string, Map<string, number>>();
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Why the slots of a lease cannot be taken: one has none left, or the table has no room. */
  refusal({ id, slots }: Lease, now: number): LimitAnswer | undefined {
    for (const slot of slots) {
      if (!this.#isFree(slot, id, now)) return { allowed: false, key: slot.key, retryAfterMs: 0 };
    }
    return undefined;
  }

  hold({ id, slots }: Lease, until: number): void {
    for (const { key } of slots) {
      let holders = this.#held.get(key);
      if (holders === undefined) this.#held.set(key, (holders = new Map()));
      if (!holders.has(id)) this.#count++;
      holders.set(id, until);
    }
  }

  release({ id, slots }: Lease): void {
    for (const { key } of slots) {
      const holders = this.#held.get(key);
      if (holders?.delete(id)) this.#count--;
      if (holders?.size === 0) this.#held.delete(key);
    }
  }

  clear(): void {
    this.#held.clear();
    this.#count = 0;
  }

  #isFree({ key, max }: Slot, id: string, now: number): boolean {
    const holders = this.#held.get(key);
    if (holders?.has(id)) return true;
    if (holders !== undefined && holders.size >= max) this.#dropExpired(key, holders, now);
    if (this.#count >= this.#max) this.#sweep(now);
    return this.#count < this.#max && (holders?.size ?? 0) < max;
  }

  #dropExpired(key: string, holders: Map<string, number>, now: number): void {
    for (const [lease, until] of holders) {
      if (until > now) continue;
      holders.delete(lease);
      this.#count--;
    }
    if (holders.size === 0) this.#held.delete(key);
  }

  /** Only of holders that have vanished something is left to expire. */
  #sweep(now: number): void {
    if (Math.abs(now - this.#sweptAt) < sweepEveryMs) return;
    this.#sweptAt = now;
    for (const [key, holders] of this.#held) this.#dropExpired(key, holders, now);
  }
}
