/** Looks into the store when there may be something new, and every second while something waits: a hint may be lost. */
import type { Deadline, Deadlines } from '../../../../lib/time/deadlines.ts';
import { runInBackground } from '../../../../lib/values/maybe-promise.ts';

export interface LookPorts {
  readonly deadlines: Deadlines;
  /** Whether to look again in a second. */
  isWaiting(): boolean;
  look(): Promise<void>;
  failed(cause: unknown): void;
}

const lookMs = 1000;

export class RepeatedLook {
  readonly #ports: LookPorts;
  #next: Deadline | undefined;
  #looking: 'no' | 'yes' | 'and again' = 'no';

  constructor(ports: LookPorts) {
    this.#ports = ports;
  }

  /** Something waits: looks in a second. */
  wait(): void {
    const { deadlines, isWaiting } = this.#ports;
    if (this.#next !== undefined || this.#looking !== 'no' || !isWaiting()) return;
    this.#next = deadlines.add(lookMs, () => this.now(), false);
  }

  /** Looks now; if a look is running, once more after it, since that may have read too early. */
  now(): void {
    if (this.#looking !== 'no') {
      this.#looking = 'and again';
      return;
    }
    this.stop();
    this.#looking = 'yes';
    runInBackground(async () => {
      try {
        await this.#ports.look();
      } finally {
        const again = this.#looking === 'and again';
        this.#looking = 'no';
        if (again) this.now();
        else this.wait();
      }
    }, this.#ports.failed);
  }

  stop(): void {
    if (this.#next !== undefined) this.#ports.deadlines.cancel(this.#next);
    this.#next = undefined;
  }
}
