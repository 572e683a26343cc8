/** JSON text that does not depend on the order of keys, and a short digest to compare values. */

export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner) => (isPlain(inner) ? sorted(inner) : inner)) ?? 'null';
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sorted = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * Distinguishes values, but does not protect from attackers: two runs of FNV-1a from different starts. Use it only in
 * values that are sealed or belong to one caller.
 */
export function digestOfText(text: string): string {
  let one = 0x811c9dc5;
  let other = 0x9747b28c;
  for (let n = 0; n < text.length; n++) {
    one = Math.imul(one ^ text.charCodeAt(n), 0x01000193);
    other = Math.imul(other ^ text.charCodeAt(n), 0x01000193);
  }
  return (one >>> 0).toString(36) + (other >>> 0).toString(36);
}

export const digestOf = (value: unknown): string => digestOfText(canonicalJson(value));
