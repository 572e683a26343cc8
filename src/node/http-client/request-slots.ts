/** So many may go at once; the others wait for their turn, the first first. */

export interface Goer {
  go(): void;
}

export class Turns {
  #free: number;
  /** Made when it is needed: most clients never wait. */
  #waiting: Set<Goer> | undefined;

  constructor(max: number) {
    this.#free = max;
  }

  /** Has it go at once, or when one before it is done. */
  take(goer: Goer): void {
    if (this.#free === 0) {
      this.#waiting ??= new Set();
      return void this.#waiting.add(goer);
    }
    this.#free--;
    goer.go();
  }

  /** One that went is done: its place is that of the first who waits, whoever comes meanwhile. */
  done(): void {
    const next = this.#waiting?.values().next().value;
    if (next === undefined) return void this.#free++;
    this.#waiting?.delete(next);
    // A connection is free again only once undici has seen the end of its response, which it tells before.
    setImmediate(() => next.go());
  }

  /** One that has yet to go no longer wants to. */
  leave(goer: Goer): void {
    this.#waiting?.delete(goer);
  }
}
