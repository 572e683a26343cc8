/** The limit on the sessions of one service, whatever their transport. */

export interface SessionHolder {
  /** How many it holds, including those that are about to begin. */
  count(): number;
  /** Drops idle sessions. */
  sweep?(): void;
}

export class SessionCapacity {
  readonly #max: number;
  readonly #holders: SessionHolder[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  join(holder: SessionHolder): void {
    this.#holders.push(holder);
  }

  /** Whether one more session may begin. */
  isLeft(): boolean {
    if (this.#isFull()) for (const holder of this.#holders) holder.sweep?.();
    return !this.#isFull();
  }

  #isFull(): boolean {
    return this.#holders.reduce((sum, holder) => sum + holder.count(), 0) >= this.#max;
  }
}
