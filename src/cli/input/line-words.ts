/** Splits a typed line into words as a shell does, except that JSON after a space or `=` is one word, with its quotes. */
import { usageError } from '../usage-error.ts';

/** The words of a line. */
export function wordsIn(line: string): string[] {
  const words: string[] = [];
  let at = 0;
  while (at < line.length) {
    if (/\s/.test(line[at] ?? '')) {
      at += 1;
      continue;
    }
    const word = wordAt(line, at);
    words.push(word.text);
    at = word.end;
  }
  return words;
}

interface Part {
  readonly text: string;
  /** Where the next part begins. */
  readonly end: number;
}

function wordAt(line: string, start: number): Part {
  let text = '';
  let at = start;
  while (at < line.length && !/\s/.test(line[at] ?? '')) {
    const part = partAt(line, at, text === '' || text.endsWith('='));
    text += part.text;
    at = part.end;
  }
  return { text, end: at };
}

function partAt(line: string, at: number, isValue: boolean): Part {
  const character = line[at] ?? '';
  if (isValue && (character === '{' || character === '[')) return jsonAt(line, at);
  if (character === "'" || character === '"') return quotedAt(line, at, character);
  if (character === '\\') return { text: line[at + 1] ?? '', end: at + 2 };
  return { text: character, end: at + 1 };
}

function quotedAt(line: string, start: number, quote: string): Part {
  let text = '';
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === quote) return { text, end: at + 1 };
    if (line[at] === '\\' && quote === '"') at += 1;
    text += line[at] ?? '';
  }
  throw usageError(`The quote ${quote} is not closed.`, `Write ${quote} at the end of the text.`);
}

/** Up to the bracket that closes the first; what is inside strings does not count. */
function jsonAt(line: string, start: number): Part {
  let depth = 0;
  let isText = false;
  for (let at = start; at < line.length; at++) {
    const character = line[at] ?? '';
    if (isText && character === '\\') at += 1;
    else if (character === '"') isText = !isText;
    else if (!isText && (character === '{' || character === '[')) depth += 1;
    else if (!isText && (character === '}' || character === ']')) depth -= 1;
    if (depth === 0) return { text: line.slice(start, at + 1), end: at + 1 };
  }
  throw usageError('The JSON is not complete.', 'Close its brackets and quotes.');
}
