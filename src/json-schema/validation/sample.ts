/** A part of a large value, small enough to look for errors in: typebox visits every item, also when it has found enough. */

export interface Sample {
  readonly value: unknown;
  /** Objects and lists of the sample that lack members, themselves or further inside: errors at them may be wrong. */
  readonly incomplete: ReadonlySet<unknown>;
}

const none: ReadonlySet<unknown> = new Set();

interface Copy {
  readonly from: object;
  readonly to: unknown[] | Record<string, unknown>;
  readonly parent: Copy | undefined;
}

/** The first `most` values, level by level, so that fields beside a long list are included. A smaller value stays as it is. */
export function sampleOf(value: unknown, most: number): Sample {
  if (typeof value !== 'object' || value === null || !hasMoreThan(most, value)) return { value, incomplete: none };
  const incomplete = new Set<unknown>();
  const copies: Copy[] = [copyOf(value, undefined)];
  let left = most;
  for (const copy of copies) {
    const keys = Object.keys(Array.isArray(copy.from) ? copy.from.slice(0, Math.max(left, 0) + 1) : copy.from);
    for (const key of keys) {
      if (left-- <= 0) {
        for (let cut: Copy | undefined = copy; cut !== undefined; cut = cut.parent) incomplete.add(cut.to);
        break;
      }
      const member = (copy.from as Record<string, unknown>)[key];
      if (typeof member !== 'object' || member === null) define(copy.to, key, member);
      else {
        const inner = copyOf(member, copy);
        copies.push(inner);
        define(copy.to, key, inner.to);
      }
    }
  }
  return { value: copies[0]?.to, incomplete };
}

const copyOf = (from: object, parent: Copy | undefined): Copy => ({
  from,
  to: Array.isArray(from) ? [] : (Object.create(Object.getPrototypeOf(from)) as Record<string, unknown>),
  parent,
});

/** A key named `__proto__` is a key like any other. */
const define = (holder: object, key: string, value: unknown): unknown =>
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });

function hasMoreThan(most: number, value: object): boolean {
  const found: object[] = [value];
  let count = 0;
  for (const each of found) {
    for (const member of Array.isArray(each) ? (each as unknown[]) : (Object.values(each) as unknown[])) {
      if (++count > most) return true;
      if (typeof member === 'object' && member !== null) found.push(member);
    }
  }
  return false;
}
