/** Counts authorizations for each operation, so that a server that is never satisfied does not ask forever. */

const windowMs = 10 * 60_000;

/**
 * Operations whose authorizations are counted.
 * @limit credentials
 * @beyond the oldest is no longer counted
 */
const maxOperations = 1000;

export class Attempts {
  readonly #max: number;
  readonly #times = new Map<string, number[]>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts one more. Returns whether it is within the limit. */
  admit(operation: string, now: number): boolean {
    const recent = (this.#times.get(operation) ?? []).filter((at) => at > now - windowMs);
    if (recent.length >= this.#max) return false;
    this.#times.delete(operation);
    this.#times.set(operation, [...recent, now]);
    const [oldest = operation] = this.#times.keys();
    if (this.#times.size > maxOperations) this.#times.delete(oldest);
    return true;
  }
}
