/** The beginning of a text of the other side, as errors and logs quote it: secrets masked, control characters escaped. */
import { escapeControls } from './control-characters.ts';
import { maskMarked } from './secret-text.ts';

/** A secret that begins in an excerpt is recognised by at most this many characters. */
const longestMark = 200;

/** A short excerpt for an error message, and a longer one for its details. */
export function excerptsOf(text: string): { readonly short: string; readonly line: string } {
  const safe = safeStart(text, maxLine);
  return { short: cut(safe, maxShort, text), line: cut(safe, maxLine, text) };
}
const maxShort = 80;
const maxLine = 200;

export const excerpt = (text: string, maxChars = maxShort): string => cut(safeStart(text, maxChars), maxChars, text);

function safeStart(text: string, maxChars: number): string {
  const read = text.slice(0, maxChars + longestMark);
  return escapeControls(maskMarked(read.includes('\\') ? unescapeWords(read) : read));
}

const cut = (safe: string, maxChars: number, { length }: string): string =>
  safe.length <= maxChars && length <= maxChars + longestMark
    ? safe
    : `${safe.slice(0, maxChars)}… (${length} characters)`;

/** JSON may escape the letters of a name or a token. */
const unescapeWords = (text: string): string =>
  text.replace(/\\(?:u00([2-7][\da-f])|\/)/gi, (whole, code: string | undefined) => {
    const character = code === undefined ? '/' : String.fromCharCode(Number.parseInt(code, 16));
    return /[\w./-]/.test(character) ? character : whole;
  });
