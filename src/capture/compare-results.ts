/** Where a result differs from the recorded one. Placeholders of secrets stand for any text. */
import { type Filled, readOptions } from '../lib/options/read-options.ts';
import { isRecord } from '../lib/values/is.ts';
import { compareOptions } from './options.table.ts';
import type { CompareOptions } from './options.ts';
import { matchesText } from './redaction/placeholders.ts';

/** A place where a result differs from the recorded one. */
export interface Difference {
  /** The place, such as `content[0].text`; empty for the whole result. */
  readonly path: string;
  /** The recorded value; absent if there was none. */
  readonly recorded?: unknown;
  /** The value now; absent if there is none. */
  readonly now?: unknown;
}

/**
 * Differences of one result that are listed.
 * @limit capture
 * @beyond further ones are left out
 */
const maxDifferences = 100;

/** The options with their defaults. */
type CompareSettings = Filled<CompareOptions, typeof compareOptions>;

/** Compares a result with the recorded one. */
export const compareResults = (recorded: unknown, now: unknown, options: CompareOptions = {}): Difference[] =>
  differencesBetween(recorded, now, readOptions('compareResults()', compareOptions, options));

export function differencesBetween(recorded: unknown, now: unknown, settings: CompareSettings): Difference[] {
  const ignored = settings.ignore.map(segmentsOf);
  const found: Difference[] = [];

  function compare(before: unknown, after: unknown, path: readonly string[]): void {
    if (found.length >= maxDifferences || ignored.some((one) => isBelow(one, path))) return;
    if (Array.isArray(before) && Array.isArray(after)) return compareItems(before, after, path);
    if (isRecord(before) && isRecord(after)) return compareFields(before, after, path);
    if (!isSame(before, after, settings)) found.push(differenceAt(path, before, after));
  }

  function compareItems(before: readonly unknown[], after: readonly unknown[], path: readonly string[]): void {
    const [named, others] = [byName(before), byName(after)];
    if (named !== undefined && others !== undefined)
      return compareFields(Object.fromEntries(named), Object.fromEntries(others), path);
    const length = Math.max(before.length, after.length);
    for (let at = 0; at < length; at++) compare(before[at], after[at], [...path, `[${at}]`]);
  }

  function compareFields(before: Record<string, unknown>, after: Record<string, unknown>, path: readonly string[]) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(own(before, name), own(after, name), [...path, name]);
  }

  compare(recorded, now, []);
  return found;
}

/** The items of a list by their names, such as tools: their order does not count. `undefined` if one has none. */
function byName(items: readonly unknown[]): Map<string, unknown> | undefined {
  const named = new Map<string, unknown>();
  for (const item of items) {
    const name = isRecord(item) ? (item.uri ?? item.uriTemplate ?? item.name) : undefined;
    if (typeof name !== 'string' || named.has(`[${name}]`)) return undefined;
    named.set(`[${name}]`, item);
  }
  return named;
}

const own = (record: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined;

function isSame(before: unknown, after: unknown, settings: CompareSettings): boolean {
  if (typeof before === 'string' && typeof after === 'string') {
    const one = comparable(before, settings);
    const other = comparable(after, settings);
    // An answer that was removed from the capture is sent as its placeholder, and may come back.
    return matchesText(one, other) || matchesText(other, one);
  }
  return before === after || (settings.ignoreTimes && isTime(before) && isTime(after));
}

function comparable(text: string, { ignoreTimes, ignoreIds }: CompareSettings): string {
  const shown = ignoreIds ? withoutIds(text) : text;
  return ignoreTimes ? withoutTimes(shown) : shown;
}

/** A server may give names any length, and each place has those of all above it. */
const maxNameChars = 200;

const shortened = (part: string): string =>
  part.length <= maxNameChars ? part : `${part.slice(0, maxNameChars)}…${part.startsWith('[') ? ']' : ''}`;

const differenceAt = (path: readonly string[], recorded: unknown, now: unknown): Difference => ({
  path: path.reduce((text, part) => `${text}${part.startsWith('[') || text === '' ? '' : '.'}${shortened(part)}`, ''),
  ...(recorded !== undefined && { recorded }),
  ...(now !== undefined && { now }),
});

/** The parts of a place: `a.b[0]` is `a`, `b`, `[0]`. */
const segmentsOf = (place: string): string[] => place.match(/\[[^\]]*\]|[^.[\]]+/g) ?? [];

const isBelow = (ignored: readonly string[], path: readonly string[]): boolean =>
  ignored.length <= path.length &&
  ignored.every((part, index) => part === '*' || part === '[*]' || part === path[index]);

const times: readonly RegExp[] = [
  // ISO 8601, with or without a time of day.
  /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g,
  // As in HTTP headers.
  /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT\b/g,
  /\b\d{1,2}:\d{2}:\d{2}(?:\.\d{1,9})?\b/g,
  // Seconds and milliseconds since 1970, from 2001 to 2286.
  /\b[1-9]\d{9}(?:\d{3})?\b/g,
];

const ids: readonly RegExp[] = [
  /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi,
  // ULID.
  /\b[0-7][\dA-HJKMNP-TV-Z]{25}\b/g,
  /\b(?=[a-f]*\d)[\da-f]{16,128}\b/gi,
];

const withoutTimes = (text: string): string => replaced(text, times, '‹time›');

const withoutIds = (text: string): string => replaced(text, ids, '‹id›');

const replaced = (text: string, forms: readonly RegExp[], name: string): string =>
  forms.reduce((shown, form) => shown.replace(form, name), text);

/** Whether a number is a time: seconds or milliseconds since 1970, from 2001 to 2286. */
const isTime = (value: unknown): boolean =>
  typeof value === 'number' && value >= 1_000_000_000 && value < 10_000_000_000_000;
