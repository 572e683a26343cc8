/** Room for the sessions of one service, whichever transport they come by: one bound for them all. */

export interface SessionHolder {
  /** How many it holds, those included that are about to begin. */
  count(): number;
  /** Lets go of those that nobody uses any more. */
  sweep?(): void;
}

export class SessionRoom {
  readonly #most: number;
  readonly #holders: SessionHolder[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  join(holder: SessionHolder): void {
    this.#holders.push(holder);
  }

  /** Whether one more may begin. */
  isLeft(): boolean {
    if (this.#isFull()) for (const holder of this.#holders) holder.sweep?.();
    return !this.#isFull();
  }

  #isFull(): boolean {
    return this.#holders.reduce((sum, holder) => sum + holder.count(), 0) >= this.#most;
  }
}
