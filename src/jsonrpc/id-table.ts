/** A table by request id that costs nothing to fill and empty over and over, as one call after another does. */
import type { RequestId } from './message.ts';

export interface IdTable<T> {
  readonly size: number;
  get(id: RequestId): T | undefined;
  has(id: RequestId): boolean;
  set(id: RequestId, value: T): void;
  delete(id: RequestId): boolean;
  /** The ids in it now. */
  ids(): RequestId[];
  clear(): void;
}

const firstCapacity = 8;
const lastCapacity = 4096;

/**
 * Integers have a slot each, since most peers count; what finds its slot taken, and every string, goes to a map. A map
 * alone grows and shrinks with every burst of calls, and the tables it leaves behind keep what was in them alive until
 * a full collection.
 */
export function createIdTable<T>(): IdTable<T> {
  const rest = new Map<RequestId, T>();
  let ids: Array<number | undefined> = [];
  let values: Array<T | undefined> = [];
  let slotted = 0;

  const slotOf = (id: number): number => id & (ids.length - 1);
  const isSlotted = (id: RequestId): id is number => typeof id === 'number' && ids[slotOf(id)] === id;

  function put(id: number, value: T): boolean {
    const slot = slotOf(id);
    if (ids[slot] !== undefined) return false;
    ids[slot] = id;
    values[slot] = value;
    slotted++;
    return true;
  }

  /** Twice the slots, and everything in them anew. Slots are never given back: a connection that was busy once may be again. */
  function grow(): void {
    const before = ids.map((id, slot) => [id, values[slot]] as const);
    const capacity = Math.max(firstCapacity, ids.length * 2);
    ids = Array.from({ length: capacity }, () => undefined);
    values = Array.from({ length: capacity }, () => undefined);
    slotted = 0;
    for (const [id, value] of before) if (id !== undefined && !put(id, value as T)) rest.set(id, value as T);
  }

  return {
    get size() {
      return slotted + rest.size;
    },
    get: (id) => (isSlotted(id) ? values[slotOf(id)] : rest.get(id)),
    has: (id) => isSlotted(id) || rest.has(id),
    set(id, value) {
      if (isSlotted(id)) values[slotOf(id)] = value;
      else if (typeof id !== 'number' || rest.has(id)) rest.set(id, value);
      else {
        if (slotted * 2 >= ids.length && ids.length < lastCapacity) grow();
        if (!put(id, value)) rest.set(id, value);
      }
    },
    delete(id) {
      if (!isSlotted(id)) return rest.delete(id);
      const slot = slotOf(id);
      ids[slot] = undefined;
      values[slot] = undefined;
      slotted--;
      return true;
    },
    ids: () => [...ids.filter((id) => id !== undefined), ...rest.keys()],
    clear() {
      rest.clear();
      ids = [];
      values = [];
      slotted = 0;
    },
  };
}
