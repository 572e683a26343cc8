/** Counts what is wrong with a large value before a schema library makes an issue of each, whatever memory that takes. */

import type { Issue } from './issues.ts';
import { type CountViolations, compileCounter } from './violations.ts';

/** Smaller values go to the schema library at once. */
const largeValue = 1000;

/**
 * Violations of its schema in a value of over 1,000 values. A schema library makes an issue of each: with zod and 20
 * fields, 100,000 empty objects take over 512 MB.
 * @limit messages
 * @beyond refused with the first 8, before the schema library sees it; `coercing` of a tool turns this off
 */
export const maxViolations = 1000;

/**
 * Values in arguments whose violations cannot be counted: their schema has no JSON Schema, or one with conditions.
 * @limit messages
 * @beyond refused; `coercing` of a tool turns this off
 */
export const maxUncountedValues = 10_000;

type JsonSchema = () => Readonly<Record<string, unknown>>;

/**
 * `validate`, for small values at once and for large ones if they have few violations of the JSON Schema. The schema
 * library still decides about all of these: it alone knows its conversions and the author's messages.
 */
export function countedFirst<V>(
  validate: (value: unknown) => V,
  refused: (issues: readonly Issue[]) => V,
  jsonSchema: JsonSchema,
): (value: unknown) => V {
  let compiled: { readonly count: CountViolations | undefined } | undefined;
  return (value) => {
    if (!isLargerThan(largeValue, value)) return validate(value);
    compiled ??= { count: counterOf(jsonSchema) };
    const counted = compiled.count?.(value, maxViolations);
    if (counted === undefined) return isLargerThan(maxUncountedValues, value) ? refused(tooLarge) : validate(value);
    return counted.count > maxViolations ? refused(counted.first) : validate(value);
  };
}

function counterOf(jsonSchema: JsonSchema): CountViolations | undefined {
  try {
    return compileCounter(jsonSchema());
  } catch {
    // It has no JSON Schema.
    return undefined;
  }
}

const tooLarge = [{ path: [], message: `has more than ${maxUncountedValues} values. Send less at once` }];

/** Whether a value has more than `most` objects, lists, texts, numbers, booleans and nulls. */
export function isLargerThan(most: number, value: unknown): boolean {
  return leftAfter(most, value) < 0;
}

function leftAfter(left: number, value: unknown): number {
  if (typeof value !== 'object' || value === null) return left - 1;
  let rest = left - 1;
  if (Array.isArray(value)) {
    // Each item counts at least once, so a long list need not be visited.
    if (value.length > rest) return -1;
    for (let n = 0; n < value.length && rest >= 0; n++) rest = leftAfter(rest, value[n]);
    return rest;
  }
  for (const key in value) {
    if (rest < 0) break;
    rest = leftAfter(rest, (value as Record<string, unknown>)[key]);
  }
  return rest;
}
