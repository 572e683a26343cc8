/** How much lists hold that are remembered: equal ones are one object, and count once. */

interface Weighed {
  /** In characters. */
  readonly weight: number;
}

/**
 * Characters of the lists that are remembered of one upstream for its owners, and of those of all upstreams for callers.
 * @limit gateway
 * @beyond those that were not used for the longest time are forgotten, and read again when they are needed
 */
export const maxHeldChars = 64 * 1024 * 1024;

export class HeldLists {
  readonly #uses = new Map<Weighed, number>();
  #chars = 0;

  get isFull(): boolean {
    return this.#chars > maxHeldChars;
  }

  add(lists: Weighed): void {
    const uses = this.#uses.get(lists) ?? 0;
    if (uses === 0) this.#chars += lists.weight;
    this.#uses.set(lists, uses + 1);
  }

  remove(lists: Weighed): void {
    const uses = this.#uses.get(lists) ?? 0;
    if (uses > 1) return void this.#uses.set(lists, uses - 1);
    if (this.#uses.delete(lists)) this.#chars -= lists.weight;
  }
}
