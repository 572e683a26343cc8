/** The fields in which two values differ, so that a person can read what changed. */
import { canonicalJson } from '../../protocol/canonical-json.ts';

/** A field whose value changed. */
export interface FieldDifference {
  /** The path to the field, such as `inputSchema.properties.path.description`. */
  readonly field: string;
  /** The value before as JSON, shortened; `undefined` if there was none. */
  readonly before: string | undefined;
  /** The value now as JSON, shortened; `undefined` if there is none. */
  readonly after: string | undefined;
}

/** A definition with more differences is another one: the rest is not listed. */
const maxDifferences = 20;
const maxChars = 500;
/** Deeper values are compared as a whole. */
const maxDepth = 12;

export function differencesOf(before: unknown, after: unknown): FieldDifference[] {
  const found: FieldDifference[] = [];
  compare('', before, after, 0, found);
  return found.slice(0, maxDifferences);
}

function compare(field: string, before: unknown, after: unknown, depth: number, found: FieldDifference[]): void {
  if (found.length >= maxDifferences || canonicalJson(before) === canonicalJson(after)) return;
  if (!isRecord(before) || !isRecord(after) || depth >= maxDepth) {
    found.push({ field, before: shown(before), after: shown(after) });
    return;
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  for (const name of names) {
    const path = field === '' ? name : `${field}.${name}`;
    compare(path, ownOf(before, name), ownOf(after, name), depth + 1, found);
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ownOf = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;

function shown(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = visible(canonicalJson(value));
  return text.length > maxChars ? `${text.slice(0, maxChars)}… (${text.length} characters)` : text;
}

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
