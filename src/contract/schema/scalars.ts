/** Whether the numbers, texts and single values of one alternative fit into another. */
import { fromJsonSchema } from '../../json-schema/json-schema.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { Alternative } from './alternative.ts';
import type { Work } from './document.ts';
import { bounds } from './keywords.ts';
import { type Path, type Problem, problem } from './problem.ts';

/** How many values are named in a text. */
const maxNamed = 5;

export function namedValues(values: readonly unknown[]): string {
  const named = values.slice(0, maxNamed).map((value) => JSON.stringify(value).slice(0, 80));
  const more = values.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** Whether a value is in the alternative; `undefined` if that is not known. */
export function includes(one: Alternative, value: unknown): boolean | undefined {
  if (one.values !== undefined && !textsOf(one.values).has(canonicalJson(value))) return false;
  if (typeof value === 'object' && value !== null)
    return one.values !== undefined && one.rules.length === 0 ? true : undefined;
  const isWithin = Object.entries(one.bounds).every(([name, bound]) => withinBound(name, bound, value));
  if (!isWithin || (one.isInteger && !Number.isInteger(value))) return false;
  if (one.multiples.some((multiple) => !isMultiple(value as number, multiple))) return false;
  const matched = new Set(matchersOf(one.patterns).map((matches) => matches(String(value))));
  if (matched.has(false)) return false;
  return matched.has(undefined) || one.rules.length > 0 || one.formats.length > 0 ? undefined : true;
}

/** The texts of lists of values: each value of one list is looked for in the other. */
const written = new WeakMap<readonly unknown[], ReadonlySet<string>>();

function textsOf(values: readonly unknown[]): ReadonlySet<string> {
  const known = written.get(values) ?? new Set(values.map(canonicalJson));
  written.set(values, known);
  return known;
}

function withinBound(name: string, bound: number, value: unknown): boolean {
  const size = typeof value === 'string' ? [...value].length : Number(value);
  if (name.startsWith('exclusive')) return name === 'exclusiveMinimum' ? size > bound : size < bound;
  return bounds[name]?.kind === 'most' ? size <= bound : size >= bound;
}

const isMultiple = (value: number, multiple: number): boolean =>
  Math.abs(value / multiple - Math.round(value / multiple)) < 1e-9;

type Matches = (text: string) => boolean | undefined;

/** Whether a text matches a pattern of JSON Schema; `undefined` if the pattern cannot be used. */
function matcherOf(pattern: string): Matches {
  try {
    const schema = fromJsonSchema({ type: 'string', pattern })['~standard'];
    return (text) => {
      const result = schema.validate(text);
      return result instanceof Promise ? undefined : result.issues === undefined;
    };
  } catch {
    return () => undefined;
  }
}

/** Patterns are compiled once: many values may be compared with many of them. */
const compiled = new WeakMap<readonly string[], readonly Matches[]>();

function matchersOf(patterns: readonly string[]): readonly Matches[] {
  const known = compiled.get(patterns) ?? patterns.map(matcherOf);
  compiled.set(patterns, known);
  return known;
}

/** A pattern is compiled in the time of this many other steps. */
const patternSteps = 50;

/** What it takes to look for a value in an alternative. */
const stepsOf = ({ patterns, multiples }: Alternative): number => 1 + patterns.length + multiples.length;

/** Few values: each is looked for. */
export function valueProblems(sent: Alternative, receivers: readonly Alternative[], path: Path, work: Work): Problem[] {
  const each = [sent, ...receivers].reduce((steps, one) => steps + stepsOf(one), 0);
  work.step(0, (sent.values ?? []).length * each);
  const answers = (sent.values ?? [])
    .filter((value) => includes({ ...sent, formats: [], rules: [] }, value) !== false)
    .map((value) => [value, answerOf(receivers.map((one) => includes(one, value)))] as const);
  const refused = answers.filter(([, answer]) => answer === false).map(([value]) => value);
  const unknown = answers.filter(([, answer]) => answer === undefined).map(([value]) => value);
  return [
    ...(refused.length > 0 ? [problem('values', path, { what: namedValues(refused) })] : []),
    ...(unknown.length > 0 ? [problem('values', path, { what: namedValues(unknown), isCertain: false })] : []),
  ];
}

const answerOf = (answers: readonly (boolean | undefined)[]): boolean | undefined =>
  answers.includes(true) ? true : answers.includes(undefined) ? undefined : false;

/** Bounds, multiples, patterns, formats and rules. */
export function boundProblems(sent: Alternative, receiver: Alternative, path: Path, work: Work): Problem[] {
  work.step(0, receiver.multiples.length * sent.multiples.length);
  const found: Problem[] = [];
  const add = (what: string, isCertain = true): void => void found.push(problem('values', path, { what, isCertain }));
  if (receiver.values !== undefined && sent.values === undefined)
    add(`other values than ${namedValues(receiver.values)}`);
  for (const [name, bound] of Object.entries(receiver.bounds))
    if (!isImplied(name, bound, sent)) add(bounds[name]?.refused(bound) ?? name);
  if (receiver.isInteger && !sent.isInteger && !sent.multiples.some(Number.isInteger)) add('a fraction');
  for (const multiple of receiver.multiples) {
    const own = sent.isInteger ? [1, ...sent.multiples] : sent.multiples;
    if (!own.some((one) => isMultiple(one, multiple))) add(`what is not a multiple of ${multiple}`, own.length === 0);
  }
  const refused = missing(receiver.patterns, sent.patterns);
  if (refused.length > 0) work.step(0, patternSteps * (refused.length + sent.patterns.length));
  // Texts that are sent: a pattern that refuses one of them is not implied by what is not compared.
  const texts = refused.length === 0 ? [] : samples.filter((text) => includes(sent, text) === true);
  for (const pattern of refused) {
    const matches = matcherOf(pattern);
    add(
      `what does not match ${pattern.slice(0, 80)}`,
      texts.some((text) => matches(text) === false),
    );
  }
  for (const format of missing(receiver.formats, sent.formats)) add(`what is no ${format.slice(0, 80)}`, false);
  for (const rule of missing(receiver.rules, sent.rules)) add(`what its rule ${rule.split(' ', 1)[0]} excludes`, false);
  return found;
}

function missing(wanted: readonly string[], present: readonly string[]): readonly string[] {
  const known = new Set(present);
  return wanted.filter((one) => !known.has(one));
}

/** Exclusive bounds are compared with those that are not. */
function isImplied(name: string, bound: number, { bounds: own }: Alternative): boolean {
  const { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity, exclusiveMaximum = Infinity } = own;
  switch (name) {
    case 'minimum':
      return minimum >= bound || exclusiveMinimum >= bound;
    case 'exclusiveMinimum':
      return minimum > bound || exclusiveMinimum >= bound;
    case 'maximum':
      return maximum <= bound || exclusiveMaximum <= bound;
    case 'exclusiveMaximum':
      return maximum < bound || exclusiveMaximum <= bound;
    default:
      return bounds[name]?.kind === 'most' ? (own[name] ?? Infinity) <= bound : (own[name] ?? -Infinity) >= bound;
  }
}

/** Texts that a pattern has to match if it matches everything. */
const samples = ['', 'a', 'Z', '7', ' ', 'a-b_c.d', '\u00e9\u4e16', 'x'.repeat(40)];
