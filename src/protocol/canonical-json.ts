/** One text for one value: keys sorted, so that equal values compare equal whatever their order of keys. */

export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner) => (isPlain(inner) ? sorted(inner) : inner)) ?? 'null';
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sorted = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
