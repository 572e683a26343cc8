/** Retries outcomes that a store failed to record, until it succeeds. */

import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../../lib/time/deadlines.ts';
import { runInBackground } from '../../../lib/values/maybe-promise.ts';

const pauseMs = 1000;

/**
 * Attempts to store the end of a call, one a second.
 * @limit server
 * @beyond `onError` gets the code, repeats of the call get `data.outcome` `unknown`
 * @code store-failed
 */
const maxAttempts = 120;

/**
 * Calls that wait for their end to be stored.
 * @limit server
 * @beyond `onError` gets the code, repeats of the call get `data.outcome` `unknown`
 * @code store-failed
 */
const maxWaiting = 1000;

interface Waiting {
  readonly record: () => unknown;
  readonly done: () => void;
  attempts: number;
}

export class Unrecorded {
  readonly #deadlines: Deadlines;
  readonly #failed: (error: unknown) => void;
  readonly #waiting = new Set<Waiting>();
  #isArmed = false;

  constructor(deadlines: Deadlines, failed: (error: unknown) => void) {
    this.#deadlines = deadlines;
    this.#failed = failed;
  }

  /**
   * Calls `record` again until it succeeds; then, or after the last attempt, `done`. `cause` is why it failed first.
   */
  add(record: () => unknown, done: () => void, cause: unknown): void {
    if (this.#waiting.size >= maxWaiting) {
      this.#failed(notRecorded(cause));
      return done();
    }
    this.#waiting.add({ record, done, attempts: 0 });
    this.#arm();
  }

  #arm(): void {
    if (this.#isArmed || this.#waiting.size === 0) return;
    this.#isArmed = true;
    this.#deadlines.add(pauseMs, () => this.#tryAll(), false);
  }

  #tryAll(): void {
    this.#isArmed = false;
    for (const one of this.#waiting) this.#try(one);
    this.#arm();
  }

  #try(one: Waiting): void {
    if (one.attempts++ >= maxAttempts) return;
    const tried = async (): Promise<void> => {
      await one.record();
      if (this.#waiting.delete(one)) one.done();
    };
    runInBackground(tried, (cause) => {
      if (one.attempts < maxAttempts || !this.#waiting.delete(one)) return;
      this.#failed(notRecorded(cause));
      one.done();
    });
  }
}

const notRecorded = (cause: unknown): TenonError =>
  new TenonError('store-failed', 'The end of a call that may run once could not be stored.', {
    hint: 'Repeats of the call get an error: its outcome is unknown. Check the store.',
    cause,
  });
