/** How texts are stored: as they are, except for those that UTF-8 or a name of Redis cannot hold. */

/** Marks an encoded text, as its first character. */
const mark = '\u0001';

/** Halves of characters would be replaced, and a zero separates the parts of names. */
const isUnfit = (text: string): boolean =>
  text.startsWith(mark) || text.includes('\0') || /[\ud800-\udfff]/u.test(text);

export const encodeText = (text: string): string => (isUnfit(text) ? mark + JSON.stringify(text) : text);

export const decodeText = (stored: string): string =>
  stored.startsWith(mark) ? (JSON.parse(stored.slice(1)) as string) : stored;
