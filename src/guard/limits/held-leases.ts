/** The leases of running calls: each is renewed until its call has ended. */
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type { Lease, Slot } from '../../store/limit-store.ts';
import type { BoundedLimits } from './bounded-limits.ts';

/**
 * How long the slots of a process that has died stay taken.
 * @limit guard
 * @beyond they are free
 */
export const leaseMs = 30_000;

export class HeldLeases {
  readonly store: BoundedLimits;
  readonly #deadlines: Deadlines;
  readonly #held = new Set<Lease>();
  /** Distinguishes this process from others that share the store. Made by the first lease: at module scope workerd has no random values. */
  #node: string | undefined;
  #made = 0;
  #isScheduled = false;

  constructor(store: BoundedLimits, deadlines: Deadlines) {
    this.store = store;
    this.#deadlines = deadlines;
  }

  create(slots: readonly Slot[]): Lease {
    this.#node ??= crypto.randomUUID();
    return { id: `${this.#node}/${this.#made++}`, slots };
  }

  hold(lease: Lease): void {
    this.#held.add(lease);
    if (!this.#isScheduled) this.#schedule();
  }

  release(lease: Lease): void {
    if (this.#held.delete(lease)) this.store.release(lease);
  }

  /** One timer for all leases, which does not stop with the last of them: one call after another would set it each time. */
  #schedule(): void {
    this.#isScheduled = true;
    this.#deadlines.add(leaseMs / 3, () => this.#renew(), false);
  }

  #renew(): void {
    this.#isScheduled = false;
    if (this.#held.size === 0) return;
    this.#schedule();
    this.store.renew([...this.#held], leaseMs);
  }
}
