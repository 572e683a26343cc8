/** Calls that pause before they are sent again. All pauses end when the client closes. */
import { listenForAbort, stopListening } from '../../lib/time/abort-listeners.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';

export class Pauses {
  readonly #deadlines: Deadlines;
  /** Functions that end each pause. */
  readonly #ends = new Set<() => void>();

  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines;
  }

  /** Resolves when the time has passed, the signal is aborted, or all pauses are ended. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        if (!this.#ends.delete(end)) return;
        this.#deadlines.cancel(deadline);
        if (signal !== undefined) stopListening(signal, end);
        resolve();
      };
      const deadline = this.#deadlines.add(ms, end);
      this.#ends.add(end);
      if (signal !== undefined) listenForAbort(signal, end);
    });
  }

  endAll(): void {
    for (const end of this.#ends) end();
  }
}
