/** Copies a value as JSON, or names the place that is not JSON: a stored value must be read back unchanged. */
import { notJson } from './request-errors.ts';

const maxDepth = 100;

/** The place of the first value that is not JSON, such as `.items[2]`; `undefined` if all of it is JSON. */
function nonJson(value: unknown, place: string, depth: number): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : place;
  if (typeof value !== 'object' || depth > maxDepth) return place;
  if (Array.isArray(value)) return firstOf([...value.entries()], (at) => `${place}[${at}]`, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== null && prototype !== Object.prototype) || 'toJSON' in value) return place;
  // A member that is `undefined` is the same as a missing one.
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return firstOf(members, (name) => `${place}.${name}`, depth);
}

function firstOf<K>(
  entries: ReadonlyArray<readonly [K, unknown]>,
  placeOf: (key: K) => string,
  depth: number,
): string | undefined {
  for (const [key, inner] of entries) {
    const found = nonJson(inner, placeOf(key), depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

export type JsonCopy = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly place: string };

/** A deep copy, or the place of the first value in it that is not JSON. */
export function jsonCopy(value: unknown, place: string): JsonCopy {
  const wrong = nonJson(value, place, 0);
  return wrong === undefined ? { ok: true, value: copyOf(value) } : { ok: false, place: wrong };
}

/** A deep copy of a value that is known to be JSON. */
export const copyOf = <T>(value: T): T => (value === undefined ? value : JSON.parse(JSON.stringify(value)));

/** A copy of the result of a step, as it is read back later. */
export function jsonResult(key: string, value: unknown): unknown {
  if (value === undefined) return undefined;
  const copy = jsonCopy(value, `The result of the step ${JSON.stringify(key)}`);
  if (!copy.ok) throw notJson(copy.place);
  return copy.value;
}
