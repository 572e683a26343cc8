/** Faults of a replayed server, as data: which response is delayed, torn, doubled, or never sent. */
import { type Filled, readOptions } from '../../lib/options/read-options.ts';
import { replayFault } from '../options.table.ts';
import type { ReplayFault } from '../options.ts';

/** A fault with its defaults. */
export type Fault = Filled<ReplayFault, typeof replayFault>;

/** Finds the fault of each request. */
export class Faults {
  readonly #faults: readonly Fault[];
  readonly #counts = new Map<Fault, number>();

  /** Throws `invalid-argument` with the place of a wrong fault. */
  constructor(faults: readonly ReplayFault[]) {
    this.#faults = faults.map((fault, at) => readOptions(`faults[${at}]`, replayFault, fault));
  }

  of(method: string): Fault | undefined {
    let found: Fault | undefined;
    for (const fault of this.#faults) {
      if (fault.on !== '*' && fault.on !== method) continue;
      const seen = (this.#counts.get(fault) ?? 0) + 1;
      this.#counts.set(fault, seen);
      if (fault.nth === undefined || fault.nth === seen) found ??= fault;
    }
    return found;
  }
}
