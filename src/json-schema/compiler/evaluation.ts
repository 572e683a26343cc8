/** Corrects which properties and items typebox counts as evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */

import type { Json } from '../analysis/snapshot.ts';
import { type Lowered, lowerEach, type SchemaCompiler } from './compiler.ts';

/**
 * A schema for parts of the value that does not report the properties it evaluated there: typebox would count them for
 * the whole value. Properties that `not` evaluates are never counted.
 */
export function lowerIsolated(schema: Json, compiler: SchemaCompiler): Lowered {
  const lowered = lowerEach(schema, compiler);
  return !compiler.tracksEvaluation || typeof lowered === 'boolean' ? lowered : { not: { not: lowered } };
}

/** A schema of `if` or `not`, counted only if it matches; typebox would count a partial match too. */
export function lowerCondition(schema: Json, { lower, tracksEvaluation }: SchemaCompiler): Lowered {
  const lowered = lower(schema);
  return tracksEvaluation ? { anyOf: [lowered] } : lowered;
}

const typesButArray = ['boolean', 'null', 'number', 'object', 'string'];

/** typebox treats the items of an array as properties, so `unevaluatedProperties` is not applied to arrays. */
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
