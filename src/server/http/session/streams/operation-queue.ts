/** Store operations whose results are handled in the order in which they were started. */
import { type MaybePromise, startOperation } from '../../../../lib/values/maybe-promise.ts';

export class OperationQueue {
  readonly #failed: (cause: unknown) => void;
  #pending: Promise<void> | undefined;

  constructor(failed: (cause: unknown) => void) {
    this.#failed = failed;
  }

  /** Resolves when the results of all operations so far have been handled; absent where none is pending. */
  get pending(): Promise<void> | undefined {
    return this.#pending;
  }

  /**
   * Starts an operation, and handles its result after those of all operations before it: at once where nothing is
   * pending and the store is in memory. `otherwise` runs in its place where the operation fails.
   */
  run<T>(operation: () => MaybePromise<T>, handle: (result: T) => void, otherwise?: () => void): void {
    const started = startOperation(operation);
    if (this.#pending === undefined && !(started instanceof Promise)) return handle(started);
    this.add(started, (outcome) => {
      if (outcome.status === 'fulfilled') return handle(outcome.value);
      this.#failed(outcome.reason);
      otherwise?.();
    });
  }

  /** Handles the outcome of an operation that was started, after those of all operations before it; later ones wait for it. */
  add<T>(started: MaybePromise<T>, settle: (outcome: PromiseSettledResult<T>) => MaybePromise<void>): void {
    const before = this.#pending;
    const handled = async (): Promise<void> => {
      const [outcome] = await Promise.allSettled([started, before]);
      return settle(outcome as PromiseSettledResult<T>);
    };
    const pending: Promise<void> = handled()
      .catch(this.#failed)
      .finally(() => {
        if (this.#pending === pending) this.#pending = undefined;
      });
    this.#pending = pending;
  }
}
