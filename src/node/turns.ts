/** So many may go at once; the others wait for their turn, the first first. */

export interface Goer {
  go(): void;
}

export class Turns {
  #free: number;
  readonly #waiting = new Set<Goer>();

  constructor(max: number) {
    this.#free = max;
  }

  /** Has it go at once, or when one before it is done. */
  take(goer: Goer): void {
    if (this.#free === 0) return void this.#waiting.add(goer);
    this.#free--;
    goer.go();
  }

  /** One that went is done. */
  done(): void {
    this.#free++;
    // A connection is free again only once undici has seen the end of its response, which it tells before.
    if (this.#waiting.size > 0) setImmediate(() => this.#next());
  }

  /** One that has yet to go no longer wants to. */
  leave(goer: Goer): void {
    this.#waiting.delete(goer);
  }

  #next(): void {
    const [goer] = this.#waiting;
    if (goer === undefined || this.#free === 0) return;
    this.#waiting.delete(goer);
    this.take(goer);
  }
}
