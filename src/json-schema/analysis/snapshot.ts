/** A frozen copy of a schema, taken within bounds, so that nothing later walks or trusts the caller's object. */

import { below, maxChars, maxDepth, refusal } from '../limits.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own property, never one that every object inherits. */
export function own(holder: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(holder, key) ? holder[key] : undefined;
}

/** A copy of `schema`; throws `invalid-schema` where it is too large, too deep or not JSON. */
export function takeSnapshot(schema: unknown, maxNodes: number): Json {
  let nodes = 0;
  let characters = 0;

  const count = (text: string, pointer: string): void => {
    characters += text.length;
    if (characters > maxChars) {
      const hint = 'Make the schema smaller.';
      throw refusal(pointer, `has more than ${maxChars} characters of text.`, hint);
    }
  };

  const copyObject = (value: object, pointer: string, depth: number): JsonObject => {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      throw refusal(pointer, 'is an instance of a class, not plain JSON.', 'Use plain objects and arrays.');
    }
    const entries: [string, Json][] = [];
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      count(key, pointer);
      entries.push([key, copy(member, below(pointer, key), depth + 1)]);
    }
    return Object.freeze(Object.fromEntries(entries));
  };

  const copy = (value: unknown, pointer: string, depth: number): Json => {
    if (depth > maxDepth) {
      const hint = 'Flatten it with $defs and $ref.';
      throw refusal(pointer, `is nested deeper than ${maxDepth} levels, or is circular.`, hint);
    }
    if ((nodes += 1) > maxNodes) {
      const hint = 'Make the schema smaller, or raise limits.maxNodes.';
      throw refusal(pointer, `exceeds the limit of ${maxNodes} values in one schema.`, hint);
    }
    if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return value as Json;
    if (typeof value === 'string') {
      count(value, pointer);
      return value;
    }
    if (Array.isArray(value)) {
      return Object.freeze(Array.from(value, (item, index) => copy(item, below(pointer, index), depth + 1)));
    }
    if (typeof value === 'object') return copyObject(value, pointer, depth);
    throw refusal(pointer, `is a ${typeof value}, which JSON does not have.`, 'Write plain JSON.');
  };

  return copy(schema, '', 0);
}
