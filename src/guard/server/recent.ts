/** What was seen lately: a bounded set that forgets the oldest. */
export class Recent<T> {
  readonly #most: number;
  readonly #seen = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Remembers a value by its name; returns whether it was known, with this value. */
  isKnown(name: string, value: T): boolean {
    if (this.#seen.has(name) && this.#seen.get(name) === value) return true;
    this.#seen.delete(name);
    this.#seen.set(name, value);
    if (this.#seen.size > this.#most) {
      const [oldest] = this.#seen.keys();
      if (oldest !== undefined) this.#seen.delete(oldest);
    }
    return false;
  }
}
