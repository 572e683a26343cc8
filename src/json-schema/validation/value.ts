/** Looks at a value before it is checked: not too deep, and without inherited properties where those would mislead. */

import type { Analysis } from '../analysis/analysis.ts';
import { isJsonObject, type Json, own } from '../analysis/snapshot.ts';

/** Whether `value` is nested deeper than `depth` levels; a value that holds itself is. */
export function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  if (Array.isArray(value)) return value.some((member) => isDeeperThan(depth - 1, member));
  for (const key in value) if (isDeeperThan(depth - 1, (value as Record<string, unknown>)[key])) return true;
  return false;
}

/**
 * Whether the schema names properties that every object inherits, such as `toString`. typebox asks with `in`, so such
 * values are checked as copies that inherit nothing.
 */
export function namesInherited({ pointers }: Analysis): boolean {
  const inherited = (key: unknown): boolean => typeof key === 'string' && key in Object.prototype;
  const anyIn = (value: Json | undefined): boolean => {
    if (Array.isArray(value)) return value.some(inherited);
    return isJsonObject(value) && Object.entries(value).some(([key, member]) => inherited(key) || anyIn(member));
  };
  const keywords = ['required', 'properties', 'dependentRequired', 'dependentSchemas', 'dependencies'];
  return [...pointers.keys()].some((node) => keywords.some((keyword) => anyIn(own(node, keyword))));
}

/** A copy whose objects inherit nothing. The depth has been bounded before. */
export function withoutInheritance(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutInheritance);
  if (!isJsonObject(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, member] of Object.entries(value)) copy[key] = withoutInheritance(member);
  return copy;
}
