/** JSON for a person to read. */

/** Longer JSON is one line: indented, a value of 128 levels takes 256 characters for each of its own. */
const maxIndentedChars = 200_000;

export function readableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text === undefined || text.length > maxIndentedChars ? text : JSON.stringify(value, null, 2);
}
