/** How much a JSON value takes: a short text may have a million objects. */

/** What an object or an array takes besides its text, in characters. */
const charsOfContainer = 32;

/** About as many characters as the memory of the value would hold. It must not be deeper than a message may be. */
export const jsonWeight = (value: unknown): number =>
  (JSON.stringify(value) ?? '').length + charsOfContainer * containersIn(value);

function containersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 1;
  for (const inner of Object.values(value)) count += containersIn(inner);
  return count;
}
