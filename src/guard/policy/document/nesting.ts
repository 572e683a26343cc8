/** Finds nesting that is too deep before a document is parsed: the parser recurses, and takes quadratic time. */
import { Lexer } from 'yaml';

/** Tokens that are not in the text: they mark documents, scalars and errors. */
const marks = new Set(['\u0002', '\u0018', '\u001f']);

/** The offset where a document nests deeper than `most`, or `undefined`. */
export function tooDeepAt(text: string, most: number): number | undefined {
  let [offset, brackets, dashes] = [0, 0, 0];
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') brackets++;
    else if (token === ']' || token === '}') brackets--;
    else if (token === '-' || token === '?') dashes++;
    else if (token.startsWith('\n') || token.startsWith('\r')) dashes = 0;
    if (brackets + dashes > most) return offset;
    if (!marks.has(token)) offset += token.length;
  }
  return undefined;
}
