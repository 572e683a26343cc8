/** Repeats a store operation that failed, with growing pauses, until it succeeds or the time for it has passed. */
import { type MaybePromise, startOperation } from '../../../../lib/values/maybe-promise.ts';
import type { StreamPorts } from './stream-ports.ts';

/** The first attempt is repeated at once: only its answer may be lost. The pauses after that double. */
const firstPauseMs = 25;

export type AttemptPorts = Pick<StreamPorts, 'retryForMs' | 'storeFailed' | 'now' | 'after'>;

export class Attempts {
  readonly #ports: AttemptPorts;
  #isStopped = false;
  #wake: (() => void) | undefined;

  constructor(ports: AttemptPorts) {
    this.#ports = ports;
  }

  /** Resolves with the outcome of the last attempt. */
  async repeat<T>(failed: PromiseRejectedResult, operation: () => MaybePromise<T>): Promise<PromiseSettledResult<T>> {
    const { retryForMs, storeFailed, now } = this.#ports;
    storeFailed(failed.reason);
    let outcome: PromiseSettledResult<T> = failed;
    const until = now() + retryForMs;
    const isLeft = (ms: number): boolean => now() + ms < until && !this.#isStopped;
    for (let ms = 0; outcome.status === 'rejected' && isLeft(ms); ms = ms * 2 || firstPauseMs) {
      if (ms > 0) await this.#pause(ms);
      [outcome] = await Promise.allSettled([startOperation(operation)]);
    }
    return outcome;
  }

  /** Makes no more attempts. */
  stop(): void {
    this.#isStopped = true;
    this.#wake?.();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#ports.after(ms, resolve);
    });
  }
}
