/** The waits of a run. A call suspends at once; a task suspends when no step runs and its handler makes no progress. */
import type { TenonError } from '../../../lib/errors/tenon-error.ts';

/** A request, or a sleep, for which the run ends. */
export interface Wait<T> {
  readonly key: string;
  /** Absent for a sleep. */
  readonly request?: T;
}

interface Parked<T> extends Wait<T> {
  readonly reject: (reason: TenonError) => void;
}

export class WaitingRun<T> {
  readonly #isTask: boolean;
  readonly #suspend: () => void;
  readonly #parked: Parked<T>[] = [];
  #steps = 0;
  /** Counts the events after which the handler may continue. */
  #events = 0;
  #isScheduled = false;

  /** `suspend` ends the run; it is called when the run only waits. */
  constructor(isTask: boolean, suspend: () => void) {
    this.#isTask = isTask;
    this.#suspend = suspend;
  }

  get requests(): readonly T[] {
    return this.#parked.flatMap(({ request }) => (request === undefined ? [] : [request]));
  }

  /** The keys of the sleeps. */
  get sleeping(): readonly string[] {
    return this.#parked.filter(({ request }) => request === undefined).map(({ key }) => key);
  }

  /** Waits until the run ends, which rejects. */
  park(wait: Wait<T>): Promise<never> {
    const parked = new Promise<never>((_, reject) => this.#parked.push({ ...wait, reject }));
    this.#schedule();
    return parked;
  }

  /** A step of a task continues while other parts of its handler wait. */
  async whileRunning<R>(step: Promise<R>): Promise<R> {
    this.#steps++;
    try {
      return await step;
    } finally {
      this.#steps--;
      this.happened();
    }
  }

  /** The handler continues after an answer, a result or a sleep. */
  happened(): void {
    this.#events++;
    this.#schedule();
  }

  rejectAll(reason: TenonError): void {
    for (const { reject } of this.#parked) reject(reason);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#parked.length === 0 || (this.#isTask && this.#steps > 0)) return;
    this.#isScheduled = true;
    // Requests of the same task of the event loop are answered in one round.
    if (!this.#isTask) return queueMicrotask(this.#suspend);
    const before = this.#events;
    setTimeout(() => {
      this.#isScheduled = false;
      if (this.#events === before && this.#steps === 0) this.#suspend();
      else this.#schedule();
    }, 0);
  }
}
