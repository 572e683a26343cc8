/** Counts the resources that must close before a client is closed: the client itself, and its connections. */
export class OpenResources {
  #count = 0;
  #isClientOpen = true;
  #listeners: Array<() => void> | undefined;

  /** Adds one that must close. */
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
