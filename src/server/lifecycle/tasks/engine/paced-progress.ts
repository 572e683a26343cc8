/** The progress of a run, written a few times a second at most: only the latest counts. */
import type { TaskProgress } from './task.ts';

/**
 * How often the progress of a task is stored and sent.
 * @limit server
 * @default 4 a second
 * @beyond the latest wins
 */
export const progressMs = 250;

export interface ProgressPorts {
  write(progress: TaskProgress): Promise<unknown>;
  pause(ms: number): Promise<void>;
}

export class PacedProgress {
  readonly #ports: ProgressPorts;
  #latest: TaskProgress | undefined;
  #isPausing = false;

  constructor(ports: ProgressPorts) {
    this.#ports = ports;
  }

  /** The first is written at once. */
  report(progress: TaskProgress): void {
    this.#latest = progress;
    if (!this.#isPausing) void this.#writeAndPause();
  }

  /** The latest that is not written yet; it is not written any more. */
  take(): TaskProgress | undefined {
    const latest = this.#latest;
    this.#latest = undefined;
    return latest;
  }

  async #writeAndPause(): Promise<void> {
    this.#isPausing = true;
    for (let next = this.take(); next !== undefined; next = this.take()) {
      await this.#ports.write(next);
      await this.#ports.pause(progressMs);
    }
    this.#isPausing = false;
  }
}
