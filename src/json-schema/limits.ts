/** How large a schema and the work of checking with it may be, and how a refusal is worded. */

import { TenonError } from '../lib/errors/tenon-error.ts';

/**
 * The options of `fromJsonSchema`.
 * @area JSON Schema
 */
export interface JsonSchemaOptions {
  /** Bounds on a schema and on the work of one check. */
  readonly limits?: JsonSchemaLimits;
}

/**
 * Bounds on a schema and on the work of one check.
 * @area JSON Schema
 */
export interface JsonSchemaLimits {
  /**
   * Values of any kind in the JSON of a schema.
   * @default 20,000
   * @beyond the schema is rejected
   * @code invalid-schema
   */
  readonly maxNodes?: number;
  /**
   * Work of one check, in subschemas visited. A pattern counts for its size and the length of the text.
   * @default 5,000,000
   * @beyond the value does not match
   */
  readonly maxSteps?: number;
}

/**
 * Levels of nesting of a schema.
 * @limit JsonSchemaLimits.maxDepth
 * @beyond the schema is rejected
 * @code invalid-schema
 */
export const maxDepth = 100;

/**
 * Characters of all keys and texts of a schema.
 * @limit JsonSchemaLimits.maxChars
 * @beyond the schema is rejected
 * @code invalid-schema
 */
export const maxChars = 500_000;

/**
 * Members of one `enum`.
 * @limit JsonSchemaLimits.maxEnumLength
 * @beyond the schema is rejected
 * @code invalid-schema
 */
export const maxEnumLength = 5000;

/**
 * References, `$ref` and `$dynamicRef` together.
 * @limit JsonSchemaLimits.maxReferences
 * @beyond the schema is rejected
 * @code invalid-schema
 */
export const maxReferences = 1000;

/**
 * Patterns, `pattern` and the keys of `patternProperties` together.
 * @limit JsonSchemaLimits.maxPatterns
 * @beyond the schema is rejected
 * @code invalid-schema
 */
export const maxPatterns = 200;

/**
 * Characters of one pattern.
 * @limit JsonSchemaLimits.maxPatternLength
 * @beyond the schema is rejected
 * @code invalid-schema
 */
export const maxPatternLength = 1000;

/**
 * Levels of nesting of a value.
 * @limit JsonSchemaLimits.maxValueDepth
 * @beyond the value does not match
 */
export const maxValueDepth = 100;

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
