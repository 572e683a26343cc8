/** How large a schema and the work of checking with it may be, and how a refusal is worded. */

import { TenonError } from '../jsonrpc/errors.ts';

/** Bounds on a schema, on the values it checks, and on the work of one check. */
export interface JsonSchemaLimits {
  /** Levels of nesting in the schema's JSON. */
  readonly depth: number;
  /** Values of any kind in the schema's JSON. */
  readonly nodes: number;
  /** Characters of all keys and strings in the schema together. */
  readonly characters: number;
  /** Members of one `enum`. */
  readonly enumLength: number;
  /** `$ref` and `$dynamicRef` together. */
  readonly references: number;
  /** `pattern` and keys of `patternProperties` together. */
  readonly patterns: number;
  /** Characters of one pattern. */
  readonly patternLength: number;
  /** Levels of nesting in a value. */
  readonly valueDepth: number;
  /** Work of one check, in subschemas visited; a check that needs more fails. */
  readonly steps: number;
}

export const defaultLimits: JsonSchemaLimits = Object.freeze({
  depth: 100,
  nodes: 20_000,
  characters: 500_000,
  enumLength: 5_000,
  references: 1_000,
  patterns: 200,
  patternLength: 1_000,
  valueDepth: 100,
  steps: 5_000_000,
});

/** A refusal of a schema: what is wrong, at which JSON pointer, and a hint. */
export function refusal(pointer: string, what: string, hint: string, cause?: unknown): TenonError {
  const place = pointer === '' ? 'the schema' : `the schema at ${pointer.slice(0, 200)}`;
  const options = { hint, details: { pointer } };
  return new TenonError('schema-refused', `${place}: ${what}`, cause === undefined ? options : { ...options, cause });
}

/** A pointer one step further. */
export function below(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
