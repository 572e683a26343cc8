/** Patterns over names and URIs, matched in linear time: `*` is any text, in URIs without `/`; `**` is any text. */

/** Whether a text as a whole matches a pattern. Letters are compared exactly: no case folding, no normalisation. */
export type MatchText = (text: string) => boolean;

export const hasWildcard = (pattern: string): boolean => pattern.includes('*');

/** Compiles a pattern. With a separator, a single `*` stops at it. */
export function compileGlob(pattern: string, separator?: '/'): MatchText {
  const first = pattern.indexOf('*');
  if (first === -1) return (text) => text === pattern;
  const prefix = pattern.slice(0, first);
  const stars = pattern.slice(first);
  if (/^\*+$/.test(stars)) return atEnd(prefix, stars.length === 1 ? separator : undefined);
  const tokens = tokensOf(stars, separator);
  return (text) => text.startsWith(prefix) && matchTokens(tokens, text, prefix.length, separator);
}

/** The usual pattern: a beginning, then anything. */
function atEnd(prefix: string, separator: string | undefined): MatchText {
  if (separator === undefined) return (text) => text.startsWith(prefix);
  return (text) => text.startsWith(prefix) && !text.includes(separator, prefix.length);
}

/** A character, or a wildcard. */
type Token = string | typeof inSegment | typeof anything;
const inSegment = 1;
const anything = 2;

const tokensOf = (pattern: string, separator: string | undefined): readonly Token[] =>
  (pattern.match(/\*+|[^*]/gs) ?? []).map((one) => {
    if (!one.startsWith('*')) return one;
    return one.length > 1 || separator === undefined ? anything : inSegment;
  });

/** Follows all readings of the wildcards at once, so that no pattern makes it try again: at most tokens × characters steps. */
function matchTokens(tokens: readonly Token[], text: string, from: number, separator: string | undefined): boolean {
  let reached = new Uint8Array(tokens.length + 1);
  let next = new Uint8Array(tokens.length + 1);
  markReached(tokens, reached, 0);
  for (let at = from; at < text.length; at++) {
    const char = text[at] as string;
    let alive = false;
    for (let index = 0; index < tokens.length; index++) {
      if (reached[index] === 0) continue;
      const token = tokens[index];
      if (token === char) markReached(tokens, next, index + 1);
      else if (token === anything || (token === inSegment && char !== separator)) markReached(tokens, next, index);
      else continue;
      alive = true;
    }
    if (!alive) return false;
    [reached, next] = [next, reached];
    next.fill(0);
  }
  return reached[tokens.length] === 1;
}

/** Marks a place, and those behind wildcards that match nothing. */
function markReached(tokens: readonly Token[], reached: Uint8Array, index: number): void {
  reached[index] = 1;
  for (let at = index; typeof tokens[at] === 'number'; at++) reached[at + 1] = 1;
}
