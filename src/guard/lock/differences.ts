/** The fields in which two values differ, so that a person can read what changed. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { LockedField } from '../../ports/lock.ts';

/** The fields in which two values differ: so many are listed, and the others are counted. */
export interface Differences {
  readonly fields: readonly LockedField[];
  readonly more: number;
}

/**
 * Differences of one definition from the lock that are shown.
 * @limit host
 * @default 20, of 500 characters
 * @beyond the rest is counted
 */
const maxDifferences = 20;
const maxChars = 500;
/** Characters of equal text that are shown before the first difference. */
const maxBefore = 60;
/** Deeper values are compared as a whole. */
const maxDepth = 12;

export function differencesOf(before: unknown, after: unknown): Differences {
  const fields: LockedField[] = [];
  let more = 0;
  compare('', before, after, 0, (field, old, now) => {
    if (fields.length < maxDifferences) fields.push({ field, ...shownFrom(old, now) });
    else more++;
  });
  return { fields, more };
}

type Found = (field: string, before: unknown, after: unknown) => void;

function compare(field: string, before: unknown, after: unknown, depth: number, found: Found): void {
  if ((before === undefined) === (after === undefined) && canonicalJson(before) === canonicalJson(after)) return;
  if (!isRecord(before) || !isRecord(after) || depth >= maxDepth) return found(field, before, after);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  for (const name of names) {
    const path = field === '' ? shownName(name) : `${field}.${shownName(name)}`;
    compare(path, ownOf(before, name), ownOf(after, name), depth + 1, found);
  }
}

/** A name that could pass for something else, such as another line, is JSON. */
const shownName = (name: string): string =>
  /^[\w$-]{1,100}$/.test(name) ? name : shortened(visible(JSON.stringify(name)), 0);

const ownOf = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;

/** Both values from a little before the place where they begin to differ, if they are long. */
function shownFrom(before: unknown, after: unknown): Pick<LockedField, 'before' | 'after'> {
  const [old, now] = [before, after].map((value) => (value === undefined ? undefined : visible(canonicalJson(value))));
  const isLong = Math.max(old?.length ?? 0, now?.length ?? 0) > maxChars;
  const start = isLong && old !== undefined && now !== undefined ? firstDifference(old, now) - maxBefore : 0;
  return { before: old && shortened(old, start), after: now && shortened(now, start) };
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

function shortened(text: string, start: number): string {
  const from = Math.max(0, start);
  if (from === 0 && text.length <= maxChars) return text;
  const end = from + maxChars < text.length ? '…' : '';
  return `${from === 0 ? '' : '…'}${text.slice(from, from + maxChars)}${end} (${text.length} characters)`;
}

/** A text of a server as JSON that a person can read. */
export const shownText = (value: unknown): string => shortened(visible(canonicalJson(value)), 0);

/** Characters that are not seen, or that change the order of others, could hide a change from a reader. */
const invisible = /[\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u007f-\u009f\u115f\u1160\u3164\uffa0\p{VS}]/gu;

/** JSON text in which every such character is an escape. It means the same. */
export const visible = (json: string): string =>
  json.replace(invisible, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
