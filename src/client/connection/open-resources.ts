/** What has to be over before a client is: its life, and all that its connections held. */
export class Ending {
  #held = 0;
  #lives = true;
  #waiting: Array<() => void> | undefined;

  /** One thing more has to be over. */
  hold(): void {
    this.#held++;
  }

  /** One of them is over, or will be when something has settled. */
  release(after?: Promise<unknown>): void {
    const released = (): void => {
      this.#held--;
      this.#look();
    };
    if (after === undefined) released();
    else after.then(released, released);
  }

  end(): void {
    this.#lives = false;
    this.#look();
  }

  over(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting ??= [];
      this.#waiting.push(resolve);
      this.#look();
    });
  }

  #look(): void {
    if (this.#lives || this.#held > 0) return;
    for (const tell of this.#waiting ?? []) tell();
    this.#waiting = undefined;
  }
}
