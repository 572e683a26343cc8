/** How Redis and SQLite store texts: as they are, except for those that UTF-8 or a name of theirs cannot hold. */

/** Marks an encoded text, as its first character. */
const mark = '\u0001';

/** Halves of characters would be replaced. A zero separates the parts of names in Redis, and ends a text in SQLite. */
export const isUnfit = (text: string): boolean =>
  text.startsWith(mark) || text.includes('\0') || /[\ud800-\udfff]/u.test(text);

export const encodeText = (text: string): string => (isUnfit(text) ? mark + JSON.stringify(text) : text);

export const isEncoded = (stored: string): boolean => stored.startsWith(mark);

export const decodeText = (stored: string): string =>
  isEncoded(stored) ? (JSON.parse(stored.slice(mark.length)) as string) : stored;
