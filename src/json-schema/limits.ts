/** How large a schema and the work of checking with it may be, and how a refusal is worded. */

import { TenonError } from '../lib/errors/tenon-error.ts';

/** Bounds on a schema, on the values it checks, and on the work of one check. */
export interface JsonSchemaLimits {
  /** Levels of nesting in the schema's JSON. */
  readonly maxDepth: number;
  /** Values of any kind in the schema's JSON. */
  readonly maxNodes: number;
  /** Characters of all keys and strings in the schema together. */
  readonly maxChars: number;
  /** Members of one `enum`. */
  readonly maxEnumLength: number;
  /** `$ref` and `$dynamicRef` together. */
  readonly maxReferences: number;
  /** `pattern` and keys of `patternProperties` together. */
  readonly maxPatterns: number;
  /** Characters of one pattern. */
  readonly maxPatternLength: number;
  /** Levels of nesting in a value. */
  readonly maxValueDepth: number;
  /** Work of one check, in subschemas visited; a pattern counts for its size and the length of the text. A check that needs more fails. */
  readonly maxSteps: number;
}

/** The limits that apply where `limits` sets none. */
export const defaultLimits: JsonSchemaLimits = Object.freeze({
  maxDepth: 100,
  maxNodes: 20_000,
  maxChars: 500_000,
  maxEnumLength: 5_000,
  maxReferences: 1_000,
  maxPatterns: 200,
  maxPatternLength: 1_000,
  maxValueDepth: 100,
  maxSteps: 5_000_000,
});

/** The default limits with those of the options. Throws `invalid-argument` for an unknown or invalid one. */
export function limitsOf(own: Partial<JsonSchemaLimits> = {}): JsonSchemaLimits {
  for (const [name, limit] of Object.entries(own)) {
    const problem = Object.hasOwn(defaultLimits, name)
      ? Number.isInteger(limit) && limit > 0
        ? undefined
        : 'must be an integer over 0'
      : 'is not a limit';
    if (problem === undefined) continue;
    throw new TenonError('invalid-argument', `limits.${name} of fromJsonSchema ${problem}.`, {
      hint: `The limits are ${Object.keys(defaultLimits).join(', ')}.`,
    });
  }
  return { ...defaultLimits, ...own };
}

/** A refusal of a schema: what is wrong, at which JSON pointer, and a hint. */
export function refusal(pointer: string, what: string, hint: string, cause?: unknown): TenonError {
  const place = pointer === '' ? 'the schema' : `the schema at ${pointer.slice(0, 200)}`;
  const options = { hint, details: { pointer } };
  return new TenonError('invalid-schema', `${place}: ${what}`, cause === undefined ? options : { ...options, cause });
}

/** A pointer one step further. */
export function below(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
