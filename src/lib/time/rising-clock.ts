/** Clocks that never go back: when the time of a machine is set back, they go on from where they were. */

/** A clock that follows another one while that rises. */
export function risingClock(clock: () => number): () => number {
  let ahead = 0;
  let latest = Number.NEGATIVE_INFINITY;
  return () => {
    const moment = clock();
    if (moment + ahead < latest) ahead = latest - moment;
    latest = moment + ahead;
    return latest;
  };
}

/** The time of another machine, by what it has said last and by what has passed here since: it is at least that there. */
export class SeenClock {
  #now = 0;
  #seenAt = 0;

  /** The other machine has said what time it is. */
  saw(now: number): void {
    if (now < this.least()) return;
    this.#now = now;
    this.#seenAt = performance.now();
  }

  least(): number {
    return this.#now === 0 ? 0 : Math.floor(this.#now + performance.now() - this.#seenAt);
  }
}
