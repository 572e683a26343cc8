/** A clock that can be paused, so that time spent paused does not count towards timeouts. */
import type { Deadlines } from './deadlines.ts';

export class PausableClock {
  readonly #deadlines: Deadlines;
  #pauses = 0;
  #pausedAt = 0;
  #pastPausesMs = 0;
  #waiting: Array<() => unknown> = [];

  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines;
  }

  /** How long it has been paused, in total. */
  get pausedMs(): number {
    return this.#pauses === 0 ? this.#pastPausesMs : this.#pastPausesMs + this.#deadlines.now() - this.#pausedAt;
  }

  /** Pairs of `pause` and `resume` may overlap. */
  pause(): void {
    if (this.#pauses === 0) this.#pausedAt = this.#deadlines.now();
    this.#pauses++;
  }

  resume(): void {
    this.#pauses--;
    if (this.#pauses > 0) return;
    this.#pastPausesMs += this.#deadlines.now() - this.#pausedAt;
    const woken = this.#waiting;
    this.#waiting = [];
    for (const run of woken) run();
  }

  /** Runs at once if the clock is running, otherwise when it resumes. */
  whenRunning(run: () => unknown): void {
    if (this.#pauses === 0) run();
    else this.#waiting.push(run);
  }
}
