/** The attempts to connect so far, and the timer of the next one. How long it waits is in retry/backoff.ts. */
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';
import { type Backoff, recent, retryAfterOf, waitMs } from '../retry/backoff.ts';

export class AttemptTimer {
  readonly #deadlines: Deadlines;
  readonly #backoff: Backoff | undefined;
  readonly #random: () => number;
  #attemptTimes: number[] = [];
  #timer: Deadline | undefined;
  #onTimer: (() => void) | undefined;

  constructor(deadlines: Deadlines, backoff: Backoff | undefined, random: () => number) {
    this.#deadlines = deadlines;
    this.#backoff = backoff;
    this.#random = random;
  }

  attemptStarted(): void {
    const now = this.#deadlines.now();
    this.#attemptTimes = [...recent(this.#attemptTimes, now), now];
  }

  /** How long to wait after this many failures in a row. */
  nextWaitMs(failures: number, error: Error): number {
    if (this.#backoff === undefined) return 0;
    const now = this.#deadlines.now();
    const attempts = { failures, times: this.#attemptTimes, now, retryAfterMs: retryAfterOf(error) };
    return waitMs(this.#backoff, attempts, this.#random);
  }

  /** Starts the timer, and replaces a running one. With `holdsProcess` it keeps the process alive. */
  start(ms: number, onTimer: () => void, holdsProcess: boolean): void {
    this.stop();
    this.#onTimer = onTimer;
    const passed = (): void => {
      this.#timer = undefined;
      onTimer();
    };
    this.#timer = this.#deadlines.add(ms, passed, holdsProcess);
  }

  /** A running timer keeps the process alive from now on. */
  holdProcess(): void {
    if (this.#timer === undefined || this.#onTimer === undefined) return;
    this.start(this.#deadlines.left(this.#timer), this.#onTimer, true);
  }

  stop(): void {
    if (this.#timer !== undefined) this.#deadlines.cancel(this.#timer);
    this.#timer = undefined;
  }
}
