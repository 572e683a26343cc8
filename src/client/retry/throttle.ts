/** Calls a function at once, then at most once in a given time. */
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';

export class Throttle {
  readonly #deadlines: Deadlines;
  readonly #ms: number;
  readonly #run: () => void;
  /** The timer during which calls are delayed. */
  #pause: Deadline | undefined;
  #isRequested = false;

  constructor(deadlines: Deadlines, ms: number, run: () => void) {
    this.#deadlines = deadlines;
    this.#ms = ms;
    this.#run = run;
  }

  /** Calls the function now, or once at the end of the pause. */
  request(): void {
    if (this.#pause !== undefined) {
      this.#isRequested = true;
      return;
    }
    this.#run();
    this.#isRequested = false;
    this.#pause = this.#deadlines.add(this.#ms, () => {
      this.#pause = undefined;
      if (this.#isRequested) this.request();
    });
  }

  stop(): void {
    if (this.#pause !== undefined) this.#deadlines.cancel(this.#pause);
    this.#pause = undefined;
  }
}
