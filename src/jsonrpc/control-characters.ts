/** Escapes characters that move the cursor, break lines or reorder text, in what a person or a log reads. */

/** Control characters with their escapes, line separators, and those that override the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
const unsafe = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const unsafeInLine = new RegExp(unsafe.source.replace('\\x00-\\x1f', '\\x00-\\x09\\x0b-\\x1f'), 'g');

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (character: string): string =>
  short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * A copy of a text in which control characters (those of terminals and line breaks included) and characters that override
 * the direction of text are written as escapes such as `\u001b`. Use it on names, titles and messages of the other side
 * before you print or log them, or show them to a user.
 */
export const escapeControls = (text: string): string => text.replace(unsafe, escaped);

/** The same for a text of several lines: its line breaks stay. */
export const escapeInLines = (text: string): string => text.replace(unsafeInLine, escaped);
