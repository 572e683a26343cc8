/** Merges `$ref` and `allOf` of a schema into one object, as far as the result is certain. */
import { isJsonObject, type Json, type JsonObject, own } from '../analysis/snapshot.ts';

/** The document that references point into, and how much of it may still be planned. */
export interface SchemaDocument {
  readonly root: Json;
  /** Schemas that may still be merged: a schema can refer to its parts so often that merging would never end. */
  left: number;
}

/** Why a schema has no form. */
export class NoForm {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The schema with everything that applies to the same value; throws `NoForm` where that is not certain. */
export function flatSchema(schema: Json, document: SchemaDocument, seen: readonly Json[] = []): JsonObject {
  if (schema === true) return {};
  if (!isJsonObject(schema)) throw new NoForm('no value is allowed');
  if (seen.includes(schema)) throw new NoForm('the schema refers to itself');
  if ((document.left -= 1) < 0) throw new NoForm('the schema is too large for a form');
  const { $ref: reference, $dynamicRef: dynamic, allOf: parts, ...rest } = schema;
  if (dynamic !== undefined) throw new NoForm('$dynamicRef depends on where it is used');
  const path = [...seen, schema];
  const applied = [
    ...(typeof reference === 'string' ? [referenced(reference, document.root)] : []),
    ...(Array.isArray(parts) ? (parts as readonly Json[]) : []),
  ];
  return applied.map((one) => flatSchema(one, document, path)).reduce(bothOf, rest);
}

/** The target of a reference inside the document. */
function referenced(reference: string, root: Json): Json {
  const found = reference.startsWith('#/') ? atPointer(root, reference.slice(2)) : undefined;
  if (reference === '#') return root;
  if (found === undefined) throw new NoForm(`the reference ${reference.slice(0, 100)} was not found`);
  return found;
}

function atPointer(root: Json, pointer: string): Json | undefined {
  let here: Json | undefined = root;
  for (const part of pointer.split('/')) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(here)) here = /^\d{1,6}$/.test(name) ? (here as readonly Json[])[Number(name)] : undefined;
    else here = isJsonObject(here) ? own(here, name) : undefined;
  }
  return here;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

type Merge = (one: Json, other: Json) => Json;

const larger: Merge = (one, other) => Math.max(Number(one), Number(other));
const smaller: Merge = (one, other) => Math.min(Number(one), Number(other));
const first: Merge = (one) => one;
const applyBoth: Merge = (one, other) => ({ allOf: [one, other] });

/** How two values of a keyword become one. Two values of any other keyword, such as `anyOf`, have no form. */
const merges: Readonly<Record<string, Merge>> = {
  ...Object.fromEntries(['minimum', 'exclusiveMinimum', 'minLength', 'minItems'].map((name) => [name, larger])),
  ...Object.fromEntries(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'].map((name) => [name, smaller])),
  ...Object.fromEntries(
    ['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', 'format', 'pattern'].map(
      (name) => [name, first],
    ),
  ),
  ...Object.fromEntries(['$schema', '$id', '$defs', 'definitions', '$comment', '$anchor'].map((name) => [name, first])),
  type: sharedTypes,
  enum: (one, other) => listOf(one).filter((value) => listOf(other).some((also) => isSame(value, also))),
  required: (one, other) => [...new Set([...listOf(one), ...listOf(other)])],
  uniqueItems: (one, other) => one === true || other === true,
  additionalProperties: (one, other) => (one === false || other === false ? false : applyBoth(one, other)),
  items: applyBoth,
  properties: bothProperties,
};

/** Merges two schemas that apply to the same value. Title, description and default are those of the first. */
export function bothOf(one: JsonObject, other: JsonObject): JsonObject {
  const merged = new Map<string, Json>(Object.entries(one));
  for (const [keyword, value] of Object.entries(other)) {
    const before = merged.get(keyword);
    if (before === undefined || isSame(before, value)) {
      merged.set(keyword, value);
      continue;
    }
    const merge = Object.hasOwn(merges, keyword) ? merges[keyword] : undefined;
    if (merge === undefined) throw new NoForm(`several schemas have ${keyword}`);
    merged.set(keyword, merge(before, value));
  }
  return Object.fromEntries(merged);
}

function bothProperties(one: Json, other: Json): Json {
  if (!isJsonObject(one) || !isJsonObject(other)) return one;
  const merged = new Map<string, Json>(Object.entries(one));
  for (const [name, schema] of Object.entries(other)) {
    const before = merged.get(name);
    merged.set(name, before === undefined ? schema : applyBoth(before, schema));
  }
  return Object.fromEntries(merged);
}

function sharedTypes(one: Json, other: Json): Json {
  const [some, more] = [listOf(one), listOf(other)];
  const shared = some.filter((type) => more.includes(type) || (type === 'integer' && more.includes('number')));
  if (some.includes('number') && more.includes('integer')) shared.push('integer');
  if (shared.length === 0) throw new NoForm('no value is allowed');
  return [...new Set(shared)];
}

export const listOf = (value: Json | undefined): readonly Json[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as Json];

export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);
