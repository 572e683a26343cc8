/** Reads a target from one line of text, and names with values from several. Pure. */
import type { ApiTarget } from '../../../../src/inspector/api.ts';

type TextTarget = Extract<ApiTarget, { readonly kind: 'url' | 'command' }>;

export function targetIn(text: string): TextTarget | undefined {
  const line = text.trim();
  if (line === '') return undefined;
  if (/^https?:\/\//i.test(line)) return URL.canParse(line) ? { kind: 'url', url: line } : undefined;
  const [command, ...args] = wordsIn(line);
  return command === undefined ? undefined : { kind: 'command', command, args };
}

/** Words of a command line: quotes keep blanks, as in a shell. Nothing else of a shell is read. */
export function wordsIn(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (const char of line) {
    if (quote !== undefined) {
      if (char === quote) quote = undefined;
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (word !== undefined) words.push(word);
  return words;
}

export interface Pairs {
  readonly values: Readonly<Record<string, string>>;
  readonly problem?: string;
}

/** One `name: value` or `NAME=value` a line. */
export function pairsIn(text: string, separator: ':' | '='): Pairs {
  const values: Record<string, string> = {};
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const at = line.indexOf(separator);
    const name = line.slice(0, at).trim();
    if (at < 1 || name === '') return { values, problem: `Line ${index + 1} has no name before “${separator}”.` };
    values[name] = line.slice(at + 1).trim();
  }
  return { values };
}
