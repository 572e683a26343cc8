/** JSON that PostgreSQL accepts: `jsonb` refuses U+0000 and halves of surrogate pairs, which JavaScript texts may have. */

/** They are written as U+0001 and four digits, and U+0001 itself as well. */
const refused = /\\u(?:000[01]|d[89a-f])/;
const escapes = /\\(?:u(000[01]|d[89a-f][\da-f]{2})|.)/g;
const escaped = /\\(?:u0001([\da-f]{4})|.)/g;

export function toJson(value: unknown): string {
  const json = JSON.stringify(value);
  // JSON.stringify escapes exactly these among others, in small letters.
  return refused.test(json)
    ? json.replace(escapes, (found, digits?: string) => (digits === undefined ? found : `\\u0001${digits}`))
    : json;
}

export function fromJson(json: string): unknown {
  return JSON.parse(
    json.includes('\\u0001')
      ? json.replace(escaped, (found, digits?: string) => (digits === undefined ? found : `\\u${digits}`))
      : json,
  );
}
