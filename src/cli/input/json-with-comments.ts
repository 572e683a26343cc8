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
