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

export function spend(document: SchemaDocument, count: number): void {
  if ((document.left -= count) < 0) throw new NoForm('the schema is too large for a form');
}

/** The schema with everything that applies to the same value; throws `NoForm` where that is not certain. */
export function flatSchema(schema: Json, document: SchemaDocument, seen: readonly Json[] = []): JsonObject {
  if (schema === true) return {};
  if (!isJsonObject(schema)) throw new NoForm('no value is allowed');
  if (seen.includes(schema)) throw new NoForm('the schema refers to itself');
  spend(document, 1);
  const { $ref: reference, $dynamicRef: dynamic, allOf: parts, ...rest } = schema;
  if (dynamic !== undefined) throw new NoForm('$dynamicRef depends on where it is used');
  const path = [...seen, schema];
  const applied = [
    ...(typeof reference === 'string' ? [referenced(reference, document.root)] : []),
    ...(Array.isArray(parts) ? (parts as readonly Json[]) : []),
  ];
  return merged([rest, ...applied.map((one) => flatSchema(one, document, path))]);
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

/** All values of one keyword, which are different, as one. */
type Merge = (values: readonly Json[]) => Json;

const largest: Merge = (values) => values.map(Number).reduce((one, other) => Math.max(one, other));
const smallest: Merge = (values) => values.map(Number).reduce((one, other) => Math.min(one, other));
const first: Merge = ([value]) => value as Json;
const all: Merge = (values) => ({ allOf: values });
const pairs =
  (merge: (one: Json, other: Json) => Json): Merge =>
  (values) =>
    values.reduce(merge);

/** How several values of a keyword become one. Several values of any other keyword, such as `anyOf`, have no form. */
const merges: Readonly<Record<string, Merge>> = {
  ...Object.fromEntries(['minimum', 'exclusiveMinimum', 'minLength', 'minItems'].map((name) => [name, largest])),
  ...Object.fromEntries(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'].map((name) => [name, smallest])),
  ...Object.fromEntries(
    ['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', 'format', 'pattern'].map(
      (name) => [name, first],
    ),
  ),
  ...Object.fromEntries(['$schema', '$id', '$defs', 'definitions', '$comment', '$anchor'].map((name) => [name, first])),
  type: pairs(sharedTypes),
  enum: pairs(sharedValues),
  required: (values) => [...new Set(values.flatMap(listOf))],
  uniqueItems: (values) => values.includes(true),
  additionalProperties: (values) => (values.includes(false) ? false : all(values)),
  items: all,
  properties: allProperties,
};

/** Merges schemas that apply to the same value. Title, description and default are those of the first. */
export function merged(schemas: readonly JsonObject[]): JsonObject {
  const found = groups(schemas);
  return Object.fromEntries(
    [...found].map(([keyword, values]) => {
      const different = distinct(values);
      const only = one(different);
      if (only !== undefined) return [keyword, only];
      const merge = Object.hasOwn(merges, keyword) ? merges[keyword] : undefined;
      if (merge === undefined) throw new NoForm(`several schemas have ${keyword}`);
      return [keyword, merge(different)];
    }),
  );
}

/** The values of each name in all objects. */
function groups(objects: readonly JsonObject[]): Map<string, Json[]> {
  const found = new Map<string, Json[]>();
  for (const [name, value] of objects.flatMap((one) => Object.entries(one))) {
    const others = found.get(name);
    if (others === undefined) found.set(name, [value]);
    else others.push(value);
  }
  return found;
}

function allProperties(values: readonly Json[]): Json {
  const fields = [...groups(values.filter(isJsonObject))];
  return Object.fromEntries(fields.map(([name, schemas]): [string, Json] => [name, one(schemas) ?? all(schemas)]));
}

/** The only value of a list. */
const one = (values: readonly Json[]): Json | undefined => (values.length === 1 ? values[0] : undefined);

function sharedValues(one: Json, other: Json): Json {
  const texts = new Set(listOf(other).map((value) => JSON.stringify(value)));
  return listOf(one).filter((value) => texts.has(JSON.stringify(value)));
}

function sharedTypes(one: Json, other: Json): Json {
  const [some, more] = [listOf(one), new Set(listOf(other))];
  const shared = some.filter((type) => more.has(type) || (type === 'integer' && more.has('number')));
  if (more.has('integer') && some.includes('number')) shared.push('integer');
  if (shared.length === 0) throw new NoForm('no value is allowed');
  return [...new Set(shared)];
}

/** The values that differ, in order. */
function distinct(values: readonly Json[]): readonly Json[] {
  if (values.length < 2) return values;
  const byText = new Map<string, Json>();
  for (const value of values) {
    const text = textOf(value);
    if (!byText.has(text)) byText.set(text, value);
  }
  return [...byText.values()];
}

/** A part of a schema is written once: it may be beside very many options. */
const texts = new WeakMap<object, string>();

function textOf(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const text = texts.get(value) ?? JSON.stringify(value);
  texts.set(value, text);
  return text;
}

export const listOf = (value: Json | undefined): readonly Json[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as Json];

export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);
