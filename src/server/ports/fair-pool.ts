/** A number of slots that callers share: no caller may hold more of them than it leaves free for the others. */

/** How many slots of a pool a caller holds, or a group of callers, or all of them together. */
export class Holding {
  count = 0;
  /** The group that the caller belongs to; absent for the holding of all callers. */
  readonly within: Holding | undefined;

  constructor(within: Holding | undefined) {
    this.within = within;
  }

  isWithin(other: Holding): boolean {
    return this === other || (this.within?.isWithin(other) ?? false);
  }
}

/**
 * One caller alone gets half of the slots; two that come and go get a third each, and so on. So there is room for the
 * first call of another, without a queue and without a fixed quota. In a group, the rule holds for what the group leaves free.
 */
export class FairPool {
  readonly #max: number;
  /** What all callers hold together. */
  readonly all = new Holding(undefined);

  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.all.count >= this.#max;
  }

  /** Takes slots; returns nothing, or whose slots stand in the way: the caller's own, those of its group, or all. */
  take(holding: Holding, slots = 1): Holding | undefined {
    return this.#take(holding, slots, 0);
  }

  /** Like as many takes of one slot: one of many slots at once could leave none to the others. */
  takeEach(holding: Holding, slots: number): Holding | undefined {
    return this.#take(holding, slots, slots - 1);
  }

  /** Whether one more slot could be taken. */
  hasRoom(holding: Holding): boolean {
    return holding.count < this.#roomFor(holding, 0);
  }

  /** Takes slots that nothing can refuse. */
  add(holding: Holding, slots: number): void {
    for (let at: Holding | undefined = holding; at !== undefined; at = at.within) at.count += slots;
  }

  /** `before`: how many of the slots count as taken before the last. */
  #take(holding: Holding, slots: number, before: number): Holding | undefined {
    if (holding.count + slots > this.#roomFor(holding, before)) return firstHolder(holding);
    this.add(holding, slots);
    return undefined;
  }

  #roomFor(holding: Holding, before: number): number {
    let room = this.#max;
    for (let above = holding.within; above !== undefined; above = above.within) room -= above.count + before;
    return room;
  }

  release(holding: Holding, slots = 1): void {
    for (let at: Holding | undefined = holding; at !== undefined; at = at.within) at.count -= slots;
  }
}

function firstHolder(holding: Holding): Holding {
  let at = holding;
  while (at.count === 0 && at.within !== undefined) at = at.within;
  return at;
}
