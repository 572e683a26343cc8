/** Escapes characters that drive terminals, break lines or reorder text, in what a person or a log reads. */

/** Control characters, line separators, and characters that override the direction of text. */
const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
/** A line break before two spaces stays: text of the other side cannot begin a new line without them. */
const unsafeInLines = /(?!\n {2})[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (character: string): string =>
  short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Escapes control characters (line breaks and the escape sequences of terminals included) and characters that override the
 * direction of text: each becomes a text such as `\u001b`. Use it on names, titles and messages of the other side before you
 * print or log them, or show them to a user.
 */
export const escapeControls = (text: string): string => text.replace(unsafe, escaped);

/** The same for a text whose further lines are indented. */
export const escapeInLines = (text: string): string => text.replace(unsafeInLines, escaped);

/** A text of several lines with all but the first indented. */
export const indentLines = (text: string): string => escapeInLines(text.replaceAll('\n', '\n  '));
