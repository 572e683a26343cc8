/** Items by a moment: those of one second are together, so that adding and removing one costs nothing. */

interface Timed {
  /** The moment; the items of a slot are not sorted. */
  readonly at: number;
}

const slotMs = 1000;

const slotOf = (at: number): number => Math.floor(at / slotMs);

export class TimeSlots<Item extends Timed> {
  readonly #slots = new Map<number, Set<Item>>();
  /** Slots before it are empty. */
  #first = Number.POSITIVE_INFINITY;

  add(item: Item): void {
    const slot = slotOf(item.at);
    const items = this.#slots.get(slot);
    if (items === undefined) this.#slots.set(slot, new Set([item]));
    else items.add(item);
    if (slot < this.#first) this.#first = slot;
  }

  delete(item: Item): void {
    const slot = slotOf(item.at);
    const items = this.#slots.get(slot);
    if (items?.delete(item) && items.size === 0) this.#slots.delete(slot);
  }

  /** Removes and returns at most `max` items whose moment has come, the earliest first. */
  due(now: number, max = Number.POSITIVE_INFINITY): readonly Item[] {
    const last = slotOf(now);
    if (this.#first > last) return none;
    const found: Item[] = [];
    for (const slot of this.#begun(last)) {
      const items = [...(this.#slots.get(slot) ?? [])].filter(({ at }) => at <= now);
      items.sort((one, other) => one.at - other.at);
      for (const item of items) {
        if (found.length >= max) return found;
        found.push(item);
        this.delete(item);
      }
    }
    this.#first = last;
    return found;
  }

  clear(): void {
    this.#slots.clear();
    this.#first = Number.POSITIVE_INFINITY;
  }

  /** The slots with items from the first on. After a long pause it is cheaper to look at those that exist. */
  #begun(last: number): readonly number[] {
    if (last - this.#first > this.#slots.size)
      return [...this.#slots.keys()].filter((slot) => slot <= last).sort((one, other) => one - other);
    const begun: number[] = [];
    for (let slot = this.#first; slot <= last; slot++) if (this.#slots.has(slot)) begun.push(slot);
    return begun;
  }
}

const none: readonly never[] = [];
