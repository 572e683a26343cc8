/** Reads JSON with comments and trailing commas, as configuration files have it. */
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';

/** The value, or what is wrong with the text, such as "CommaExpected in line 3". */
export function readJsonWithComments(text: string): { readonly value: unknown } | { readonly problem: string } {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error === undefined) return { value };
  const line = text.slice(0, error.offset).split('\n').length;
  return { problem: `${printParseErrorCode(error.error)} in line ${line}` };
}

/** Editors on Windows begin a file with this character, which is not part of the JSON. */
const byteOrderMark = '\ufeff';

export const withoutByteOrderMark = (text: string): string => (text.startsWith(byteOrderMark) ? text.slice(1) : text);

/** Changes the text after a byte order mark, which stays. */
export const afterByteOrderMark = (text: string, change: (rest: string) => string): string =>
  `${text.startsWith(byteOrderMark) ? byteOrderMark : ''}${change(withoutByteOrderMark(text))}`;
