/** A map by request id that allocates nothing when it is filled and emptied over and over, as one call after another does. */
import type { RequestId } from './message.ts';

const firstCapacity = 4;
/** The slots of an unused table; never written to, since the first entry creates new ones. */
const none: never[] = [];
const lastCapacity = 4096;

/**
 * Integers have a slot each, since most peers count up; an integer whose slot is taken, and every string, goes to a map.
 * A map alone grows and shrinks with every burst of calls, and its old tables keep their entries alive until a full
 * garbage collection. A class, because every connection holds several: instances share their methods.
 */
export class IdTable<T> {
  #rest: Map<RequestId, T> | undefined;
  #ids: Array<number | undefined> = none;
  #values: Array<T | undefined> = none;
  #slotted = 0;

  get size(): number {
    return this.#slotted + (this.#rest?.size ?? 0);
  }

  get(id: RequestId): T | undefined {
    return this.#isSlotted(id) ? this.#values[this.#slotOf(id)] : this.#rest?.get(id);
  }

  has(id: RequestId): boolean {
    return this.#isSlotted(id) || (this.#rest?.has(id) ?? false);
  }

  set(id: RequestId, value: T): void {
    if (this.#isSlotted(id)) this.#values[this.#slotOf(id)] = value;
    else if (typeof id !== 'number' || this.#rest?.has(id)) this.#setAside(id, value);
    else {
      if (this.#slotted * 2 >= this.#ids.length && this.#ids.length < lastCapacity) this.#grow();
      if (!this.#put(id, value)) this.#setAside(id, value);
    }
  }

  delete(id: RequestId): boolean {
    if (!this.#isSlotted(id)) return this.#rest?.delete(id) ?? false;
    const slot = this.#slotOf(id);
    this.#ids[slot] = undefined;
    this.#values[slot] = undefined;
    this.#slotted--;
    return true;
  }

  /** The ids in it now. */
  ids(): RequestId[] {
    return [...this.#ids.filter((id) => id !== undefined), ...(this.#rest?.keys() ?? [])];
  }

  clear(): void {
    this.#rest = undefined;
    this.#ids = none;
    this.#values = none;
    this.#slotted = 0;
  }

  #slotOf(id: number): number {
    return id & (this.#ids.length - 1);
  }

  #isSlotted(id: RequestId): id is number {
    return typeof id === 'number' && this.#ids[this.#slotOf(id)] === id;
  }

  #put(id: number, value: T): boolean {
    const slot = this.#slotOf(id);
    if (this.#ids[slot] !== undefined) return false;
    this.#ids[slot] = id;
    this.#values[slot] = value;
    this.#slotted++;
    return true;
  }

  #setAside(id: RequestId, value: T): void {
    this.#rest ??= new Map();
    this.#rest.set(id, value);
  }

  /** Doubles the slots. They are never reduced: a connection that was busy once may be again. */
  #grow(): void {
    const before = this.#ids.map((id, slot) => [id, this.#values[slot]] as const);
    const capacity = Math.max(firstCapacity, this.#ids.length * 2);
    this.#ids = Array.from({ length: capacity }, () => undefined);
    this.#values = Array.from({ length: capacity }, () => undefined);
    this.#slotted = 0;
    for (const [id, value] of before)
      if (id !== undefined && !this.#put(id, value as T)) this.#setAside(id, value as T);
  }
}
