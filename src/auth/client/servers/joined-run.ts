/** One run that several callers wait for. It is aborted when none of them waits any more. */

export class JoinedRun<T> {
  readonly #control = new AbortController();
  readonly #result: Promise<T>;
  #waiting = 0;

  constructor(run: (signal: AbortSignal) => Promise<T>) {
    this.#result = run(this.#control.signal);
    // Callers that have left do not handle its error.
    this.#result.catch(() => {});
  }

  /** Whether every caller has left, so that it ends without a result. */
  get isAbandoned(): boolean {
    return this.#control.signal.aborted;
  }

  /** Its result. Rejects with the reason when the signal is aborted first. */
  join(signal?: AbortSignal): Promise<T> {
    this.#waiting++;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal?.removeEventListener('abort', onAbort);
        if (--this.#waiting === 0) this.#control.abort(signal?.reason);
      };
      const onAbort = (): void => {
        leave();
        reject(signal?.reason);
      };
      if (signal?.aborted) return onAbort();
      signal?.addEventListener('abort', onAbort);
      this.#result.then(resolve, reject).finally(() => signal?.removeEventListener('abort', onAbort));
    });
  }
}
