/** Matches a URI against a template and gives the values of its variables, in time linear in the URI. */

import { decode, encodeReserved, hasStrayPercent } from './encoding.ts';
import type { UriTemplate } from './parse.ts';
import { lowerTemplate, stopsOf, type Token } from './subset.ts';

/** The decoded value of each variable; `undefined` if the URI does not match. Never throws. */
export type TemplateMatcher = (uri: string) => Record<string, string> | undefined;

type Step =
  | Exclude<Token, { kind: 'variable' }>
  /** Ends at the first stop, less the characters of the next literal before that stop. */
  | { readonly kind: 'variable'; readonly name: string; readonly stops: RegExp; readonly suffix: number };

/** Values as they stand in the URI, still encoded. */
type Found = Map<string, string>;

/**
 * A matcher for a template that reads every URI in at most one way; an ambiguous template is refused with
 * `invalid-definition`. Values are data: a decoded one may hold `/`, `..` or control characters.
 */
export function createMatcher(template: UriTemplate): TemplateMatcher {
  const tokens = lowerTemplate(template);
  const stops = stopsOf(tokens);
  const split = tokens.findIndex((token) => token.kind === 'variable' && token.greedy);
  const pivot = tokens[split];
  const left = toSteps(pivot === undefined ? tokens : tokens.slice(0, split), stops);
  const start = plainStart(tokens);
  if (pivot?.kind !== 'variable') {
    return (uri) => {
      if (!uri.startsWith(start)) return undefined;
      const text = normalise(uri);
      const found: Found = new Map();
      return text !== undefined && scan(left, text, found) === text.length ? decodeAll(found) : undefined;
    };
  }
  // The tokens after the greedy variable are matched from the end, by the same scan on the mirrored text.
  const right = toSteps(
    tokens
      .slice(split + 1)
      .reverse()
      .map(mirrorToken),
    stops,
  );
  return (uri) => {
    if (!uri.startsWith(start)) return undefined;
    const text = normalise(uri);
    if (text === undefined) return undefined;
    const found: Found = new Map();
    const mirrored: Found = new Map();
    const from = scan(left, text, found);
    if (from === undefined) return undefined;
    const taken = right.length === 0 ? 0 : scan(right, mirror(text), mirrored);
    if (taken === undefined || text.length - taken <= from) return undefined;
    found.set(pivot.name, text.slice(from, text.length - taken));
    for (const [name, value] of mirrored) found.set(name, mirror(value));
    return decodeAll(found);
  };
}

/** What every matching URI begins with, as it is written: of thousands of templates most are ruled out by it alone. */
function plainStart([first]: readonly Token[]): string {
  return first?.kind === 'literal' ? (/^[A-Za-z0-9:/._~-]*/.exec(first.text)?.[0] ?? '') : '';
}

/** The URI as expansion would write it: what no URI may hold is encoded. Undefined where a triplet is malformed. */
const normalise = (uri: string): string | undefined => (hasStrayPercent(uri) ? undefined : encodeReserved(uri));

/** Only for normalised text, which is ASCII. */
const mirror = (text: string): string => text.split('').reverse().join('');

const mirrorToken = (token: Token): Token =>
  token.kind === 'literal' ? { kind: 'literal', text: mirror(token.text) } : token;

function toSteps(tokens: readonly Token[], stopsByName: ReadonlyMap<string, string>): Step[] {
  return tokens.map((token, index) => {
    if (token.kind !== 'variable') return token;
    const stops = anyOf(stopsByName.get(token.name) ?? '');
    const next = tokens[index + 1];
    const suffix = next?.kind === 'literal' ? firstStop(next.text, 0, stops) : 0;
    return { kind: 'variable', name: token.name, stops, suffix };
  });
}

const anyOf = (characters: string): RegExp => new RegExp(`[${characters.replace(/[\\\]^-]/g, '\\$&')}]`, 'g');

/** The offset of the first stop from `at` on, or the text's end. A search by pattern: a loop takes 50 times as long. */
function firstStop(text: string, at: number, stops: RegExp): number {
  stops.lastIndex = at;
  return stops.exec(text)?.index ?? text.length;
}

const fragmentMark = /#/g;
const equalsSign = /[=]/g;

/** Takes the steps one after another; the offset reached, or undefined where one does not fit. */
function scan(steps: readonly Step[], text: string, found: Found): number | undefined {
  let at: number | undefined = 0;
  for (const step of steps) {
    at = take(step, text, at, found);
    if (at === undefined) return undefined;
  }
  return at;
}

function take(step: Step, text: string, at: number, found: Found): number | undefined {
  switch (step.kind) {
    case 'literal':
      return text.startsWith(step.text, at) ? at + step.text.length : undefined;
    case 'variable': {
      const end = firstStop(text, at, step.stops) - step.suffix;
      // An unset variable and an empty one look the same: neither is a match.
      if (end <= at) return undefined;
      found.set(step.name, text.slice(at, end));
      return end;
    }
    case 'query':
      return text.startsWith(step.marker, at) ? takeQuery(step.names, text, at + 1, found) : at;
  }
}

/** Pairs in any order, up to the fragment; an unknown name, or the same name twice, does not fit. */
function takeQuery(names: ReadonlySet<string>, text: string, at: number, found: Found): number | undefined {
  const end = firstStop(text, at, fragmentMark);
  for (const pair of text.slice(at, end).split('&', names.size + 1)) {
    const cut = firstStop(pair, 0, equalsSign);
    const name = pair.slice(0, cut);
    if (!names.has(name) || found.has(name)) return undefined;
    found.set(name, pair.slice(cut + 1));
  }
  return end;
}

/** Without a prototype, so that a missing variable such as `constructor` is `undefined`. */
function decodeAll(found: Found): Record<string, string> | undefined {
  const values = Object.create(null) as Record<string, string>;
  for (const [name, text] of found) {
    const value = decode(text);
    if (value === undefined) return undefined;
    values[name] = value;
  }
  return values;
}
