/** Results as JSON for programs, which a terminal can show as well: no character in it drives the terminal. */

/** Those that JSON leaves as they are: DEL and C1 controls, line separators, marks that reorder text. */
const leftRaw = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** The JSON of a value in one line. Escaped characters read as the same value. */
export const jsonLine = (value: unknown): string =>
  `${JSON.stringify(value).replace(leftRaw, (char) =>
    Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  )}\n`;
