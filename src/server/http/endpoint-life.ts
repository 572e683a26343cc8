/** The state of an endpoint: open, draining, closed; and the regular upkeep of its sessions and streams. */
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';

/** The calls and the upkeep of an endpoint. */
export interface EndpointWork {
  /** Calls that have not finished. */
  activeCalls(): number;
  /** Drops idle sessions and sends keep-alive comments; returns whether any sessions or streams are left. */
  upkeep(): boolean;
}

export class EndpointLife {
  readonly #deadlines: Deadlines;
  readonly #upkeepMs: number;
  readonly #work: EndpointWork;
  #phase: 'open' | 'draining' | 'closed' = 'open';
  #nextUpkeep: Deadline | undefined;
  /** Set while the endpoint drains. */
  #finishDraining: (() => void) | undefined;

  constructor(deadlines: Deadlines, upkeepMs: number, work: EndpointWork) {
    this.#deadlines = deadlines;
    this.#upkeepMs = upkeepMs;
    this.#work = work;
  }

  /** Whether requests are admitted. */
  get isOpen(): boolean {
    return this.#phase === 'open';
  }

  get isClosed(): boolean {
    return this.#phase === 'closed';
  }

  /** Schedules upkeep, which repeats for as long as there are sessions or streams. */
  scheduleUpkeep(): void {
    if (this.#nextUpkeep !== undefined || this.isClosed) return;
    this.#nextUpkeep = this.#deadlines.add(this.#upkeepMs, () => {
      this.#nextUpkeep = undefined;
      if (this.#work.upkeep()) this.scheduleUpkeep();
    });
  }

  callFinished(): void {
    this.#finishDraining?.();
  }

  beginDraining(): void {
    this.#phase = 'draining';
  }

  /** Resolves when no call runs any more, or after `waitMs`. */
  drained(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const deadline = this.#deadlines.add(waitMs, resolve);
      this.#finishDraining = (): void => {
        if (this.#work.activeCalls() > 0) return;
        this.#deadlines.cancel(deadline);
        resolve();
      };
      this.#finishDraining();
    });
  }

  /** A process that has nothing else to do does not wait for the next upkeep. */
  close(): void {
    this.#phase = 'closed';
    if (this.#nextUpkeep !== undefined) this.#deadlines.cancel(this.#nextUpkeep);
  }
}
