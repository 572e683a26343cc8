/** Reads a target from one line of text, and names with values from several; and writes them again, to be edited. Pure. */
import type { ApiTarget } from '../../../../src/inspector/api.ts';

type TextTarget = Extract<ApiTarget, { readonly kind: 'url' | 'command' }>;

/** Variables stand before a command, as in a shell. */
const assignment = /^([A-Za-z_]\w*)=(.*)$/s;

export function targetIn(text: string): TextTarget | undefined {
  const line = text.trim();
  if (line === '') return undefined;
  if (/^https?:\/\//i.test(line)) return URL.canParse(line) ? { kind: 'url', url: line } : undefined;
  const words = wordsIn(line);
  const first = words.findIndex((word) => !assignment.test(word));
  const [command, ...args] = first === -1 ? [] : words.slice(first);
  if (command === undefined) return undefined;
  const env = Object.fromEntries(
    words.slice(0, first).flatMap((word) => {
      const [, name = '', value = ''] = assignment.exec(word) ?? [];
      return [[name, value]];
    }),
  );
  return { kind: 'command', command, args, ...(first > 0 && { env }) };
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

/** The line that `wordsIn` reads as these words. */
export const lineOf = (words: readonly string[]): string =>
  words.map((word) => (word !== '' && !/[\s"']/.test(word) ? word : quoted(word))).join(' ');

/** Each stretch in the quotes that it does not have. */
const quoted = (word: string): string =>
  (word.match(/[^"]+|"+/g) ?? ['']).map((part) => (part.startsWith('"') ? `'${part}'` : `"${part}"`)).join('');

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

/** What the backend shows in place of a value that may be secret: it has to be typed again. */
const hidden = '‹hidden›';

export const pairsText = (values: Readonly<Record<string, string>> = {}, separator: ': ' | '='): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}${separator}${value === hidden ? '' : value}`)
    .join('\n');
