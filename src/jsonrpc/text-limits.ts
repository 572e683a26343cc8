/** Counts values and depth in the text of a long message, before `JSON.parse` spends memory on it. */
import { closeBrace, closeBracket, comma, endOfString, openBrace, openBracket, quote } from './json-text.ts';
import type { MessageLimits } from './limits.ts';

/** Shorter texts are parsed at once: their length limits how many values they can hold. */
export const longText = 64 * 1024;

export type ExceededLimit = 'nesting-too-deep' | 'too-many-values';

/** The limit that a text exceeds, if any. Every object, list, text, number, boolean and null is a value; keys are not. */
export function exceededLimit(
  text: string,
  { maxDepth, maxValues }: Pick<MessageLimits, 'maxDepth' | 'maxValues'>,
): ExceededLimit | undefined {
  const deepest = maxDepth + messageLevel(text);
  if (isSparse(text, deepest, maxValues)) return undefined;
  let [depth, values] = [0, 1];
  // Whether the innermost object or list has nothing in it so far.
  let isEmpty = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
      isEmpty = false;
    } else if (code === comma) {
      if (++values > maxValues) return 'too-many-values';
    } else if (code === openBracket || code === openBrace) {
      if (++depth > deepest) return 'nesting-too-deep';
      isEmpty = true;
    } else if (code === closeBracket || code === closeBrace) {
      depth--;
      if (!isEmpty && ++values > maxValues) return 'too-many-values';
      isEmpty = false;
    } else if (code > 0x20) isEmpty = false;
  }
  return undefined;
}

/**
 * Whether all characters that could open or separate values are within the limits, those in strings included. So a long
 * text of few values, such as a document, is not scanned string by string.
 */
function isSparse(text: string, deepest: number, maxValues: number): boolean {
  const opened = countUpTo(deepest, text, '{', '[');
  return opened <= deepest && 1 + opened + countUpTo(maxValues, text, ',') <= maxValues;
}

/** How often the characters occur; it stops at one more than `most`. */
function countUpTo(most: number, text: string, ...characters: readonly string[]): number {
  let count = 0;
  for (const character of characters)
    for (let at = text.indexOf(character); at !== -1 && count <= most; at = text.indexOf(character, at + 1)) count++;
  return count;
}

/** The level of a message's own braces: a batch has brackets around them. */
const messageLevel = (text: string): number => (/^\s*\[/.test(text) ? 2 : 1);

const maxOutlined = 100;
const outlinedFields = /"(id|method|result|error)"\s*:\s*(?:("(?:[^"\\]|\\.){0,200}")|(-?\d[\d.eE+-]{0,30}))?/y;

/**
 * The ids and methods of a message or batch that is not parsed, so that its requests are answered and requests of this
 * side are rejected.
 */
export function outlineOf(text: string): unknown {
  const level = messageLevel(text);
  const messages: Record<string, unknown>[] = [];
  let depth = 0;
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      if (isKeyNext) outlineField(text, at, messages.at(-1));
      isKeyNext = false;
      at = endOfString(text, at);
    } else if (code === comma) isKeyNext = depth === level;
    else if (code === openBrace || code === openBracket) {
      isKeyNext = ++depth === level && code === openBrace;
      if (isKeyNext && messages.push({}) > maxOutlined) break;
    } else if (code === closeBrace || code === closeBracket) depth--;
  }
  return level === 1 ? messages[0] : messages;
}

function outlineField(text: string, at: number, message: Record<string, unknown> | undefined): void {
  outlinedFields.lastIndex = at;
  const [, name, words, digits] = outlinedFields.exec(text) ?? [];
  if (name === undefined || message === undefined) return;
  if (words !== undefined) message[name] = parsed(words);
  else message[name] = digits === undefined ? {} : Number(digits);
}

function parsed(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    return undefined;
  }
}
