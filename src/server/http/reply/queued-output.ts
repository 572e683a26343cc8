/** What waits for the clients of one endpoint, limited as a whole: beyond it, those that have read nothing for longest are disconnected. */

import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../../lib/time/deadlines.ts';

/** A response of which a part may wait for its client. */
export interface Output {
  /** Characters that wait; 0 once the response has closed. */
  readonly waiting: number;
  /** Changes while the client reads. */
  readonly accepted: number;
  /** Disconnects the client; what waits is discarded. */
  cut(): void;
}

/** What the client of an output had read at the last check, and when that last changed. */
interface Progress {
  accepted: number;
  since: number;
}

const checkMs = 1000;

export class QueuedOutput {
  readonly #maxChars: number;
  readonly #deadlines: Deadlines;
  readonly #warn: (error: TenonError) => void;
  /** The outputs that wait, those that began to wait first at the front. */
  readonly #outputs = new Map<Output, Progress>();
  /** The most that can wait: what waited when it was last counted, and all that was written since. */
  #atMost = 0;
  #isChecking = false;

  constructor(maxChars: number, deadlines: Deadlines, warn: (error: TenonError) => void) {
    this.#maxChars = maxChars;
    this.#deadlines = deadlines;
    this.#warn = warn;
  }

  /** Called after a write of which a part waits. */
  add(output: Output, chars: number): void {
    if (!this.#outputs.has(output))
      this.#outputs.set(output, { accepted: output.accepted, since: this.#deadlines.now() });
    this.#atMost += chars;
    if (this.#atMost > this.#maxChars) this.#limit();
    if (this.#isChecking || this.#outputs.size === 0) return;
    this.#isChecking = true;
    this.#deadlines.add(checkMs, () => this.#check(), false);
  }

  /** Notes which clients have read, and forgets those for which nothing waits. */
  #check(): void {
    const now = this.#deadlines.now();
    let total = 0;
    for (const [output, progress] of this.#outputs) {
      const { waiting, accepted } = output;
      total += waiting;
      if (waiting === 0) this.#outputs.delete(output);
      else if (accepted !== progress.accepted) Object.assign(progress, { accepted, since: now });
    }
    this.#atMost = total;
    this.#isChecking = this.#outputs.size > 0;
    if (this.#isChecking) this.#deadlines.add(checkMs, () => this.#check(), false);
  }

  #limit(): void {
    let total = 0;
    for (const output of this.#outputs.keys()) total += output.waiting;
    if (total > this.#maxChars) total = this.#disconnect(total);
    this.#atMost = total;
  }

  /** Makes more room than needed, so that the next write need not count again. Returns what is left. */
  #disconnect(total: number): number {
    const target = this.#maxChars * 0.875;
    const stalledFirst = [...this.#outputs].sort(([, one], [, other]) => one.since - other.since);
    let left = total;
    for (const [output] of stalledFirst) {
      const { waiting } = output;
      if (left <= target) break;
      this.#outputs.delete(output);
      left -= waiting;
      if (waiting === 0) continue;
      output.cut();
      this.#warn(totalExceeded(waiting, total, this.#maxChars));
    }
    return left;
  }
}

const totalExceeded = (waiting: number, total: number, maxTotalQueuedChars: number): TenonError =>
  new TenonError(
    'queue-full',
    `A client was disconnected: ${waiting} characters waited for it, and ${total} for all clients.`,
    {
      hint: 'Clients must read their responses. Send less at once, or raise limits.maxMemoryBytes.',
      details: { waiting, total, maxTotalQueuedChars },
    },
  );
