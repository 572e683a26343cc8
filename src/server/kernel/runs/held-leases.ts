/** Renews the leases of the runs of this process, on one timer. */
import type { Deadline, Deadlines } from '../../../lib/time/deadlines.ts';
import { runInBackground } from '../../../lib/values/maybe-promise.ts';

/**
 * How long a call that runs once counts as running after its node has stopped.
 * @limit server
 * @beyond repeats of it get `data.outcome` `unknown`
 * @code outcome-unknown
 */
export const leaseMs = 15_000;

/** A run that is in progress here. */
export interface HeldLease {
  renew(ms: number): unknown;
}

export class HeldLeases {
  readonly #deadlines: Deadlines;
  readonly #held = new Set<HeldLease>();
  #next: Deadline | undefined;

  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines;
  }

  add(lease: HeldLease): void {
    this.#held.add(lease);
    this.#next ??= this.#wait();
  }

  delete(lease: HeldLease): void {
    this.#held.delete(lease);
    if (this.#held.size > 0 || this.#next === undefined) return;
    this.#deadlines.cancel(this.#next);
    this.#next = undefined;
  }

  /** A renewal that fails is not repeated: there are two more before the lease lapses. */
  #renew(): void {
    for (const lease of this.#held) runInBackground(() => lease.renew(leaseMs), ignored);
    this.#next = this.#wait();
  }

  #wait(): Deadline {
    return this.#deadlines.add(leaseMs / 3, () => this.#renew(), false);
  }
}

const ignored = (): void => undefined;
