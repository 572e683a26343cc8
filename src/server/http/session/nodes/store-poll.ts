/** Reads the store when something may be new, and every second while something waits: the message that announces it may be lost. */
import type { Deadline, Deadlines } from '../../../../lib/time/deadlines.ts';
import { runInBackground } from '../../../../lib/values/maybe-promise.ts';

export interface PollPorts {
  readonly deadlines: Deadlines;
  /** Whether to read again in a second. */
  isWaiting(): boolean;
  read(): Promise<void>;
  failed(cause: unknown): void;
}

const intervalMs = 1000;

export class StorePoll {
  readonly #ports: PollPorts;
  #next: Deadline | undefined;
  /** `stale`: it reads, and has been asked for a newer state meanwhile. */
  #state: 'idle' | 'reading' | 'stale' = 'idle';

  constructor(ports: PollPorts) {
    this.#ports = ports;
  }

  /** Something waits: reads in a second. */
  wait(): void {
    const { deadlines, isWaiting } = this.#ports;
    if (this.#next !== undefined || this.#state !== 'idle' || !isWaiting()) return;
    this.#next = deadlines.add(intervalMs, () => this.now(), false);
  }

  /** Reads now; during a read, once more after it, since that one may be too early. */
  now(): void {
    if (this.#state !== 'idle') {
      this.#state = 'stale';
      return;
    }
    this.stop();
    this.#state = 'reading';
    runInBackground(async () => {
      try {
        await this.#ports.read();
      } finally {
        const isStale = this.#state === 'stale';
        this.#state = 'idle';
        if (isStale) this.now();
        else this.wait();
      }
    }, this.#ports.failed);
  }

  stop(): void {
    if (this.#next !== undefined) this.#ports.deadlines.cancel(this.#next);
    this.#next = undefined;
  }
}
