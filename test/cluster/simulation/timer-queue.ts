/** The timers of a simulation: a heap by due time, and of equals the one set first. */

/** What `setTimeout` returns on Node, as far as programs use it. */
export class VirtualTimer {
  due: number;
  order: number;
  isActive = true;
  readonly run: () => void;

  constructor(due: number, order: number, run: () => void) {
    this.due = due;
    this.order = order;
    this.run = run;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

const isBefore = (one: VirtualTimer, other: VirtualTimer): boolean =>
  one.due < other.due || (one.due === other.due && one.order < other.order);

export class TimerQueue {
  readonly #heap: VirtualTimer[] = [];
  #count = 0;

  add(due: number, run: () => void): VirtualTimer {
    const timer = new VirtualTimer(due, this.#count++, run);
    this.#insert(timer);
    return timer;
  }

  /** Sets a timer that has run for another time. */
  repeat(timer: VirtualTimer, due: number): void {
    timer.due = due;
    timer.order = this.#count++;
    this.#insert(timer);
  }

  /** A cancelled timer stays in the heap until it would be due. */
  cancel(timer: VirtualTimer | undefined): void {
    if (timer !== undefined && timer !== null) timer.isActive = false;
  }

  /** Takes the next timer out. */
  next(): VirtualTimer | undefined {
    for (;;) {
      const first = this.#heap[0];
      const last = this.#heap.pop();
      if (first === undefined || last === undefined) return undefined;
      if (first !== last) {
        this.#heap[0] = last;
        this.#sink();
      }
      if (first.isActive) return first;
    }
  }

  #insert(timer: VirtualTimer): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as VirtualTimer;
      if (!isBefore(timer, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = timer;
  }

  #sink(): void {
    const heap = this.#heap;
    const timer = heap[0] as VirtualTimer;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const right = child + 1;
      if (right < heap.length && isBefore(heap[right] as VirtualTimer, heap[child] as VirtualTimer)) child = right;
      const below = heap[child] as VirtualTimer;
      if (!isBefore(below, timer)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = timer;
  }
}
