/** Keeps typebox's account of the properties and items that were seen, for `unevaluatedProperties` and `unevaluatedItems`. */

import type { Json } from '../analysis/snapshot.ts';
import { type Lowered, lowerEach, type SchemaCompiler } from './compiler.ts';

/**
 * A schema for parts of the value, which tells nothing of what it saw inside them: typebox would add that to the account
 * of the whole. What `not` sees is never told.
 */
export function lowerIsolated(schema: Json, compiler: SchemaCompiler): Lowered {
  const lowered = lowerEach(schema, compiler);
  return !compiler.tracksEvaluation || typeof lowered === 'boolean' ? lowered : { not: { not: lowered } };
}

/** A schema of `if` or `not`, which tells what it saw only if it fits; typebox would tell of half a fit too. */
export function lowerCondition(schema: Json, { lower, tracksEvaluation }: SchemaCompiler): Lowered {
  const lowered = lower(schema);
  return tracksEvaluation ? { anyOf: [lowered] } : lowered;
}

const typesButArray = ['boolean', 'null', 'number', 'object', 'string'];

/** typebox takes the items of an array for properties, so `unevaluatedProperties` is kept away from arrays. */
export function withoutArrays(
  out: Record<string, unknown>,
  addDefinition: (schema: Lowered) => Lowered,
): Record<string, unknown> {
  const { unevaluatedProperties, unevaluatedItems, ...rest } = out;
  if (unevaluatedProperties === undefined || out['type'] === 'object') return out;
  const seen = addDefinition(rest);
  const forArrays = unevaluatedItems === undefined ? {} : { unevaluatedItems };
  return {
    anyOf: [
      { type: 'array', allOf: [seen], ...forArrays },
      { type: typesButArray, allOf: [seen], unevaluatedProperties },
    ],
  };
}
