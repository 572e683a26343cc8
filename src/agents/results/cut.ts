/** Cuts a text at line ends, and never inside a character. */

/** Where the beginning of a text ends that has at most `max` characters: after a line, unless that leaves out half of it. */
export function endOfHead(text: string, max: number): number {
  if (text.length <= max) return text.length;
  const line = text.lastIndexOf('\n', max - 1) + 1;
  return line > max / 2 ? line : wholeCharacter(text, max);
}

/** The beginning of a text, which says that it was cut. */
export const cutText = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, endOfHead(text, max - 1)).trimEnd()}…`;

/** Where the end of a text begins that has at most `max` characters. */
export function startOfTail(text: string, max: number): number {
  const least = Math.max(0, text.length - max);
  if (least === 0) return 0;
  const line = text.indexOf('\n', least - 1) + 1;
  return line > 0 && line - least < max / 2 ? line : wholeCharacter(text, least + 1);
}

/** The place, or the one before it if it is between the halves of a surrogate pair. */
export function wholeCharacter(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff ? at - 1 : at;
}
