/** A store of limits whose answers have a time limit. One that fails or is late is an error, never a permission. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { isPromiseLike } from '../../lib/values/is.ts';
import type { MaybePromise } from '../../lib/values/maybe-promise.ts';
import { runSafely } from '../../lib/values/run-safely.ts';
import type { Lease, LimitAnswer, LimitStore, TokenClaim } from '../../store/limit-store.ts';

export class BoundedLimits {
  readonly #store: LimitStore;
  readonly #timeoutMs: number;
  readonly #deadlines: Deadlines;

  constructor(store: LimitStore, timeoutMs: number, deadlines: Deadlines) {
    this.#store = store;
    this.#timeoutMs = timeoutMs;
    this.#deadlines = deadlines;
  }

  /** Returns `store-failed` instead of throwing it. A store in memory answers without a promise. */
  take(
    tokens: readonly TokenClaim[],
    lease: Lease | undefined,
    leaseMs: number,
  ): MaybePromise<LimitAnswer | TenonError> {
    try {
      const answer = this.#store.take(tokens, lease, leaseMs);
      return isPromiseLike(answer) ? this.#inTime(answer, lease) : checked(answer);
    } catch (cause) {
      return failed(cause);
    }
  }

  /** A lease that cannot be renewed or released expires. */
  renew(leases: readonly Lease[], leaseMs: number): void {
    runSafely(() => this.#store.renew(leases, leaseMs));
  }

  release(lease: Lease): void {
    runSafely(() => this.#store.release(lease));
  }

  #inTime(answer: PromiseLike<LimitAnswer>, lease: Lease | undefined): Promise<LimitAnswer | TenonError> {
    return new Promise((resolve) => {
      let isLate = false;
      const deadline = this.#deadlines.add(this.#timeoutMs, () => {
        isLate = true;
        resolve(late(this.#timeoutMs));
      });
      const answered = (found: LimitAnswer | TenonError): void => {
        this.#deadlines.cancel(deadline);
        // Its request was refused meanwhile.
        if (isLate && lease !== undefined) this.release(lease);
        resolve(found);
      };
      answer.then(
        (found) => answered(checked(found)),
        (cause) => answered(failed(cause)),
      );
    });
  }
}

/** Only what the contract calls a permission is one. */
function checked(answer: LimitAnswer): LimitAnswer | TenonError {
  const { allowed, key } = (answer ?? {}) as { allowed?: unknown; key?: unknown };
  return allowed === true || (allowed === false && typeof key === 'string') ? answer : failed(undefined);
}

const failed = (cause: unknown): TenonError =>
  new TenonError('store-failed', 'The store of limits failed, so no request can be served.', { cause });

const late = (timeoutMs: number): TenonError =>
  new TenonError(
    'store-failed',
    `The store of limits did not answer in ${timeoutMs} ms, so no request can be served.`,
    { hint: 'Check that it can be reached, and how busy it is.', details: { limit: 'storeTimeoutMs' } },
  );
