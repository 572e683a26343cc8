/** Counts what has to be closed before a client is closed: its life, and its connections. */
export class OpenResources {
  #count = 0;
  #isClientOpen = true;
  #listeners: Array<() => void> | undefined;

  /** One more has to be closed. */
  acquire(): void {
    this.#count++;
  }

  /** One of them is closed, or will be when the promise settles. */
  release(after?: Promise<unknown>): void {
    const released = (): void => {
      this.#count--;
      this.#settleIfReleased();
    };
    if (after === undefined) released();
    else after.then(released, released);
  }

  clientClosed(): void {
    this.#isClientOpen = false;
    this.#settleIfReleased();
  }

  allReleased(): Promise<void> {
    return new Promise((resolve) => {
      this.#listeners ??= [];
      this.#listeners.push(resolve);
      this.#settleIfReleased();
    });
  }

  #settleIfReleased(): void {
    if (this.#isClientOpen || this.#count > 0) return;
    for (const notify of this.#listeners ?? []) notify();
    this.#listeners = undefined;
  }
}
