/** Counts what is wrong with a large value before a schema library makes an issue of each, whatever memory that takes. */

import type { Issue } from './issues.ts';
import { type CountViolations, compileCounter } from './violations.ts';

/** Larger values are counted in any case. */
const largeValue = 1000;

/** Smaller values go to the schema library at once. */
const smallValue = 20;

/**
 * Violations of its schema in a value of up to 1,000 values. With 20 alternatives of 20 fields each, 990 empty objects
 * (3 kB) would hold up all callers for half a second.
 * @limit messages
 * @beyond refused with the first 8, before the schema library sees it; `coercing` of a tool turns this off
 */
export const maxSmallViolations = 20_000;

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
  let counter: Counter | undefined;
  return (value) => {
    if (!isLargerThan(counter?.uncounted ?? smallValue, value)) return validate(value);
    counter ??= counterOf(jsonSchema);
    const { count, uncounted } = counter;
    if (!isLargerThan(uncounted, value)) return validate(value);
    const most = uncounted < largeValue && !isLargerThan(largeValue, value) ? maxSmallViolations : maxViolations;
    const counted = count?.(value, most);
    if (counted === undefined) return isLargerThan(maxUncountedValues, value) ? refused(tooLarge) : validate(value);
    return counted.count > most ? refused(counted.first) : validate(value);
  };
}

interface Counter {
  readonly count: CountViolations | undefined;
  /** Values up to this size cannot have too many violations. */
  readonly uncounted: number;
}

function counterOf(jsonSchema: JsonSchema): Counter {
  try {
    const schema = jsonSchema();
    const count = compileCounter(schema);
    const most = Math.floor(maxSmallViolations / violationsOfOne(schema));
    return { count, uncounted: count === undefined ? largeValue : Math.min(largeValue, Math.max(smallValue, most)) };
  } catch {
    // It has no JSON Schema.
    return { count: undefined, uncounted: largeValue };
  }
}

/** How many violations one value can have at most, roughly: one for each part of the schema, and one for each name that is required. */
function violationsOfOne(schema: unknown): number {
  if (typeof schema !== 'object' || schema === null) return 1;
  const { required } = schema as { readonly required?: unknown };
  let most = 1 + (Array.isArray(required) ? required.length : 0);
  for (const part of Object.values(schema)) if (typeof part === 'object') most += violationsOfOne(part);
  return most;
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
