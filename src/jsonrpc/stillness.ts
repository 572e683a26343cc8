/** Time that stands still while somebody pauses it, so that what waits is not held to it. */
import type { Deadlines } from './deadlines.ts';

export class Stillness {
  readonly #deadlines: Deadlines;
  #pauses = 0;
  #since = 0;
  #past = 0;
  #parked: Array<() => unknown> = [];

  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines;
  }

  /** How long it has stood still, all in all. */
  get total(): number {
    return this.#pauses === 0 ? this.#past : this.#past + this.#deadlines.now() - this.#since;
  }

  /** Pairs of `pause` and `resume` may overlap. */
  pause(): void {
    if (this.#pauses === 0) this.#since = this.#deadlines.now();
    this.#pauses++;
  }

  resume(): void {
    this.#pauses--;
    if (this.#pauses > 0) return;
    this.#past += this.#deadlines.now() - this.#since;
    const woken = this.#parked;
    this.#parked = [];
    for (const run of woken) run();
  }

  /** Runs at once while time runs, else when it runs again. */
  whenRunning(run: () => unknown): void {
    if (this.#pauses === 0) run();
    else this.#parked.push(run);
  }
}
