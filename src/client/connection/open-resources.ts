/** What has to be over before a client is: its life, and all that its connections held. */
export class OpenResources {
  #count = 0;
  #isClientOpen = true;
  #listeners: Array<() => void> | undefined;

  /** One thing more has to be over. */
  acquire(): void {
    this.#count++;
  }

  /** One of them is over, or will be when something has settled. */
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
    for (const tell of this.#listeners ?? []) tell();
    this.#listeners = undefined;
  }
}
