/** The leases of running calls: each is renewed until its call has ended. */
import type { Deadline, Deadlines } from '../../jsonrpc/deadlines.ts';
import type { Lease, Slot } from '../../store/limits/limit-store.ts';
import type { TimedStore } from './timed-store.ts';

/** How long the slots of a process that has died stay taken. */
export const leaseMs = 30_000;

export class HeldLeases {
  readonly #store: TimedStore;
  readonly #deadlines: Deadlines;
  readonly #held = new Set<Lease>();
  /** Distinguishes this process from others that share the store. */
  readonly #node = crypto.randomUUID();
  #made = 0;
  #renewal: Deadline | undefined;

  constructor(store: TimedStore, deadlines: Deadlines) {
    this.#store = store;
    this.#deadlines = deadlines;
  }

  create(slots: readonly Slot[]): Lease {
    return { id: `${this.#node}/${this.#made++}`, slots };
  }

  hold(lease: Lease): void {
    this.#held.add(lease);
    this.#renewal ??= this.#scheduled();
  }

  release(lease: Lease): void {
    if (this.#held.delete(lease)) this.#store.release(lease);
  }

  /** One timer for all leases. It runs on without them for a while: a call after another would set one each time. */
  #scheduled(): Deadline {
    return this.#deadlines.add(leaseMs / 3, () => this.#renew(), false);
  }

  #renew(): void {
    this.#renewal = this.#held.size === 0 ? undefined : this.#scheduled();
    if (this.#held.size > 0) this.#store.renew([...this.#held], leaseMs);
  }
}
