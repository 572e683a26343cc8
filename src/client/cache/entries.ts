/** Results that are kept for a time, bounded in number and size: of too many, those go first that were used least lately. */
import { canonicalJson, digestOfText } from '../../protocol/canonical-json.ts';
import type { CacheHint, Fields } from '../../protocol/neutral.ts';

export interface CacheBounds {
  /** How many results are kept; 1000 by default. */
  readonly maxEntries?: number;
  /** How many characters of JSON they may have together; 16 million by default. */
  readonly maxBytes?: number;
}

interface Entry {
  readonly value: Fields;
  readonly digest: string;
  readonly size: number;
  until: number;
}

export interface Entries {
  /** What is kept under a name and still fresh. */
  fresh(name: string, now: number): Fields | undefined;
  /** Keeps a result; gives back what others get too: the one before, where the new one is equal to it. */
  keep(name: string, value: Fields, hint: CacheHint, now: number): { readonly value: Fields; readonly equal: boolean };
  /** Has nothing of these names count as fresh. What comes anew and is equal still stays the same object. */
  outdate(matches: (name: string) => boolean): void;
  /** Says how many there were. */
  drop(matches: (name: string) => boolean): number;
}

/** The values are frozen, since whoever asks gets the same. */
export function createEntries({ maxEntries = 1000, maxBytes = 16_000_000 }: CacheBounds): Entries {
  /** The first is the one that was used least lately. */
  const entries = new Map<string, Entry>();
  let size = 0;

  function remove(name: string): void {
    size -= entries.get(name)?.size ?? 0;
    entries.delete(name);
  }

  function put(name: string, entry: Entry): void {
    remove(name);
    entries.set(name, entry);
    size += entry.size;
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries && size <= maxBytes) break;
      remove(oldest);
    }
  }

  return {
    fresh(name, now) {
      const entry = entries.get(name);
      if (entry === undefined || entry.until <= now) return undefined;
      entries.delete(name);
      entries.set(name, entry);
      return entry.value;
    },
    keep(name, value, { ttlMs }, now) {
      const text = canonicalJson(value);
      const digest = digestOfText(text);
      const before = entries.get(name);
      const equal = before !== undefined && before.digest === digest && before.size === text.length;
      const kept = equal ? before.value : frozen(value);
      put(name, { value: kept, digest, size: text.length, until: now + ttlMs });
      return { value: kept, equal };
    },
    outdate(matches) {
      for (const [name, entry] of entries) if (matches(name)) entry.until = Number.NEGATIVE_INFINITY;
    },
    drop(matches) {
      const names = [...entries.keys()].filter(matches);
      names.forEach(remove);
      return names.length;
    },
  };
}

/** JSON is a tree, and its depth is limited where it is read. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
