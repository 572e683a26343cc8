/** Keys of owners until they expire, in memory: counted in all and for each owner. */
import type { OnceLimit } from './once-store.ts';

export interface LiveKey {
  readonly owner: string;
  expires: number;
}

export interface LiveKeyLimits {
  readonly maxKeys: number;
  /** The owner `''` has no share of its own. */
  readonly maxKeysPerOwner: number;
}

/** Keys of one slot are looked at together, when the last of them has expired. */
const slotMs = 10_000;

const slotOf = (expires: number): number => Math.floor(expires / slotMs) + 1;

export class LiveKeys<Row extends LiveKey> {
  readonly #limits: LiveKeyLimits;
  readonly #onDelete: ((row: Row) => void) | undefined;
  readonly #rows = new Map<string, Row>();
  readonly #counts = new Map<string, number>();
  readonly #slots = new Map<number, Set<string>>();
  #sweptAt = 0;

  constructor(limits: LiveKeyLimits, onDelete?: (row: Row) => void) {
    this.#limits = limits;
    this.#onDelete = onDelete;
  }

  find(key: string, moment: number): Row | undefined {
    const row = this.#rows.get(key);
    if (row === undefined || row.expires > moment) return row;
    this.delete(key, row);
    return undefined;
  }

  /** The limit that forbids another key of this owner. */
  refusal(owner: string, moment: number): OnceLimit | undefined {
    if (slotOf(moment) !== this.#sweptAt) this.#sweep(moment);
    const refused = this.#reached(owner);
    if (refused === undefined) return undefined;
    this.#sweep(moment);
    return this.#reached(owner);
  }

  add(key: string, row: Row): void {
    this.#rows.set(key, row);
    this.#counts.set(row.owner, (this.#counts.get(row.owner) ?? 0) + 1);
    this.#place(key, row.expires);
  }

  extend(key: string, row: Row, expires: number): void {
    this.#displace(key, row.expires);
    row.expires = expires;
    this.#place(key, expires);
  }

  delete(key: string, row: Row): void {
    this.#rows.delete(key);
    this.#displace(key, row.expires);
    const left = (this.#counts.get(row.owner) ?? 0) - 1;
    if (left > 0) this.#counts.set(row.owner, left);
    else this.#counts.delete(row.owner);
    this.#onDelete?.(row);
  }

  clear(): void {
    for (const [key, row] of this.#rows) this.delete(key, row);
  }

  #reached(owner: string): OnceLimit | undefined {
    const { maxKeys, maxKeysPerOwner } = this.#limits;
    if (this.#rows.size >= maxKeys) return 'maxKeys';
    return owner !== '' && (this.#counts.get(owner) ?? 0) >= maxKeysPerOwner ? 'maxKeysPerOwner' : undefined;
  }

  /** Deletes what has expired, in the slots that have begun. */
  #sweep(moment: number): void {
    this.#sweptAt = slotOf(moment);
    for (const [slot, keys] of this.#slots) {
      if (slot > this.#sweptAt) continue;
      for (const key of keys) this.find(key, moment);
    }
  }

  #place(key: string, expires: number): void {
    const slot = slotOf(expires);
    const keys = this.#slots.get(slot);
    if (keys === undefined) this.#slots.set(slot, new Set([key]));
    else keys.add(key);
  }

  #displace(key: string, expires: number): void {
    const slot = slotOf(expires);
    const keys = this.#slots.get(slot);
    if (keys?.delete(key) && keys.size === 0) this.#slots.delete(slot);
  }
}
