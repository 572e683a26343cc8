/** Tasks by the moment at which something is due: the earliest first. */

interface Due<T> {
  readonly at: number;
  /** Orders equal moments: the first that was added comes first. */
  readonly order: number;
  readonly item: T;
}

/** A binary heap. What was added stays until its moment: `isCurrent` decides whether it is still due then. */
export class DueQueue<T> {
  readonly #heap: Due<T>[] = [];
  #order = 0;

  add(at: number, item: T): void {
    const heap = this.#heap;
    heap.push({ at, order: this.#order++, item });
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!this.#swapIfEarlier(child, parent)) return;
      child = parent;
    }
  }

  /** Up to `max` items that are due now. They stay in the queue; items that are not current leave it. */
  due(now: number, max: number, isCurrent: (item: T, at: number) => boolean): T[] {
    const found = new Map<T, number>();
    while (found.size < max) {
      const first = this.#heap[0];
      if (first === undefined || first.at > now) break;
      this.#removeFirst();
      if (isCurrent(first.item, first.at)) found.set(first.item, first.at);
    }
    for (const [item, at] of found) this.add(at, item);
    return [...found.keys()];
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const child = right < heap.length && this.#isEarlier(right, left) ? right : left;
      if (!this.#swapIfEarlier(child, parent)) return;
      parent = child;
    }
  }

  #isEarlier(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]] as [Due<T>, Due<T>];
    return a.at === b.at ? a.order < b.order : a.at < b.at;
  }

  #swapIfEarlier(child: number, parent: number): boolean {
    if (!this.#isEarlier(child, parent)) return false;
    const heap = this.#heap as Due<T>[];
    [heap[child], heap[parent]] = [heap[parent] as Due<T>, heap[child] as Due<T>];
    return true;
  }
}
