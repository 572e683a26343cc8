/** Cached results with a lifetime, limited in number and size: the least recently used are removed first. */
import { canonicalJson, digestOfText } from '../../lib/text/canonical-json.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { CacheHint } from '../../protocol/neutral.ts';

interface Entry {
  readonly value: Fields;
  readonly digest: string;
  readonly size: number;
  until: number;
}

export interface EntryBounds {
  readonly maxEntries: number;
  readonly maxChars: number;
}

/** The values are frozen, since all callers get the same object. */
export class Entries {
  readonly #bounds: EntryBounds;
  /** Least recently used first. Made on first use: many clients cache nothing. */
  #entries: Map<string, Entry> | undefined;
  #size = 0;

  constructor(bounds: EntryBounds) {
    this.#bounds = bounds;
  }

  /** The result under a name, if it is still fresh. */
  fresh(name: string, now: number): Fields | undefined {
    const entry = this.#entries?.get(name);
    if (entry === undefined || entry.until <= now) return undefined;
    this.#entries?.delete(name);
    this.#entries?.set(name, entry);
    return entry.value;
  }

  /** Stores a result. Returns the object that callers get: the stored one, if the new one is equal to it. */
  store(
    name: string,
    value: Fields,
    { ttlMs }: CacheHint,
    now: number,
  ): { readonly value: Fields; readonly equal: boolean } {
    const text = canonicalJson(value);
    const digest = digestOfText(text);
    const before = this.#entries?.get(name);
    const equal = before !== undefined && before.digest === digest && before.size === text.length;
    const stored = equal ? before.value : frozen(value);
    this.#put(name, { value: stored, digest, size: text.length, until: now + ttlMs });
    return { value: stored, equal };
  }

  /** Expires the entries of these names. An equal new result still gives the same object. */
  expire(matches: (name: string) => boolean): void {
    for (const [name, entry] of this.#entries ?? []) if (matches(name)) entry.until = Number.NEGATIVE_INFINITY;
  }

  /** Returns how many there were. */
  drop(matches: (name: string) => boolean): number {
    const names = [...(this.#entries?.keys() ?? [])].filter(matches);
    for (const name of names) this.#remove(name);
    return names.length;
  }

  #put(name: string, entry: Entry): void {
    const { maxEntries, maxChars } = this.#bounds;
    this.#remove(name);
    this.#entries ??= new Map();
    this.#entries.set(name, entry);
    this.#size += entry.size;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries && this.#size <= maxChars) break;
      this.#remove(oldest);
    }
  }

  #remove(name: string): void {
    this.#size -= this.#entries?.get(name)?.size ?? 0;
    this.#entries?.delete(name);
  }
}

/** JSON is a tree, and its depth is limited when it is parsed. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
