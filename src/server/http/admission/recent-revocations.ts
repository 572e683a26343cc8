/** The newest revocations: a request that was authenticated before one, and whose body arrives after it, is not served. */

/** With more of them, requests that began before the oldest count as revoked: they are authenticated again. */
const maxOwners = 1000;

export class RecentRevocations {
  /** The number of each, by the key of its principal; the oldest first. */
  readonly #numbers = new Map<string, number>();
  #count = 0;
  #forgotten = 0;

  /** How many there were so far. */
  get count(): number {
    return this.#count;
  }

  add(owner: string): void {
    this.#numbers.delete(owner);
    this.#numbers.set(owner, ++this.#count);
    if (this.#numbers.size <= maxOwners) return;
    const [oldest] = this.#numbers;
    if (oldest === undefined) return;
    this.#forgotten = oldest[1];
    this.#numbers.delete(oldest[0]);
  }

  /** Whether a principal was revoked after so many revocations. */
  has(owner: string, after: number): boolean {
    return after < this.#count && (after < this.#forgotten || (this.#numbers.get(owner) ?? 0) > after);
  }
}
