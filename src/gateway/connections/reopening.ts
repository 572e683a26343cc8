/** Opens again what was lost, after a pause that grows as long as it does not last. */
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';

/**
 * The pause before subscriptions are opened again at an upstream whose connection was lost.
 * @limit gateway
 * @beyond it doubles while they fail or are lost again within a minute, up to a minute
 */
const firstPauseMs = 1000;

const longestPauseMs = 60_000;

export class Reopening {
  readonly #deadlines: Deadlines;
  readonly #open: () => Promise<void>;
  #pauseMs = 0;
  #openedAt: number | undefined;
  #deadline: Deadline | undefined;
  #isClosed = false;

  /** `open` rejects if it should be tried again. */
  constructor(deadlines: Deadlines, open: () => Promise<void>) {
    this.#deadlines = deadlines;
    this.#open = open;
  }

  opened(): void {
    this.#openedAt = this.#deadlines.now();
  }

  lost(): void {
    if (this.#isClosed || this.#deadline !== undefined) return;
    const hasLasted = this.#openedAt !== undefined && this.#deadlines.now() - this.#openedAt >= longestPauseMs;
    this.#pauseMs = hasLasted || this.#pauseMs === 0 ? firstPauseMs : Math.min(this.#pauseMs * 2, longestPauseMs);
    this.#openedAt = undefined;
    this.#deadline = this.#deadlines.add(this.#pauseMs, () => void this.#again(), false);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#deadline !== undefined) this.#deadlines.cancel(this.#deadline);
    this.#deadline = undefined;
  }

  async #again(): Promise<void> {
    this.#deadline = undefined;
    try {
      await this.#open();
      this.opened();
    } catch {
      this.lost();
    }
  }
}
