/** The two dialects, and the type of each keyword's value in them. */

import { below, maxEnumLength, refusal } from '../limits.ts';
import { isJsonObject, type Json, type JsonObject, own } from './snapshot.ts';

export type Dialect = 'draft-2020-12' | 'draft-07';

const dialects: Readonly<Record<string, Dialect>> = {
  'https://json-schema.org/draft/2020-12/schema': 'draft-2020-12',
  'http://json-schema.org/draft-07/schema': 'draft-07',
  'https://json-schema.org/draft-07/schema': 'draft-07',
};

/** The dialect that `$schema` names; 2020-12 without one. */
export function dialectOf(root: Json): Dialect {
  const named = isJsonObject(root) ? own(root, '$schema') : undefined;
  if (named === undefined) return 'draft-2020-12';
  const dialect = typeof named === 'string' ? dialects[named.replace(/#$/, '')] : undefined;
  if (dialect !== undefined) return dialect;
  const shown = JSON.stringify(named).slice(0, 100);
  const hint = 'Write the schema in JSON Schema 2020-12 (drop $schema) or in draft-07.';
  throw refusal('/$schema', `names a dialect that is not supported: ${shown}.`, hint);
}

/** The type of a keyword's value. `schema`, `schemas` and `schemaMap` hold subschemas. */
type Shape =
  | 'schema'
  | 'schemas'
  | 'schemaMap'
  | 'schemaOrSchemas'
  | 'dependencies'
  | 'number'
  | 'positive'
  | 'count'
  | 'boolean'
  | 'string'
  | 'strings'
  | 'stringsMap'
  | 'enum'
  | 'type'
  | 'any';

type Keywords = Readonly<Partial<Record<Shape, string>>>;

const both: Keywords = {
  string: '$ref $id pattern format',
  type: 'type',
  enum: 'enum',
  any: 'const default',
  schema: 'not if then else additionalProperties propertyNames contains',
  schemas: 'allOf anyOf oneOf',
  schemaMap: 'definitions properties patternProperties',
  dependencies: 'dependencies',
  strings: 'required',
  count: 'minProperties maxProperties minItems maxItems minLength maxLength',
  boolean: 'uniqueItems',
  number: 'minimum maximum exclusiveMinimum exclusiveMaximum',
  positive: 'multipleOf',
};
const only07: Keywords = { schemaOrSchemas: 'items', schema: 'additionalItems' };
const only2020: Keywords = {
  string: '$anchor $dynamicAnchor $dynamicRef',
  schema: 'items unevaluatedItems unevaluatedProperties',
  schemas: 'prefixItems',
  schemaMap: '$defs dependentSchemas',
  count: 'minContains maxContains',
  stringsMap: 'dependentRequired',
};

function byKeyword(...tables: readonly Keywords[]): ReadonlyMap<string, Shape> {
  const pairs = tables.flatMap((table) => Object.entries(table) as [Shape, string][]);
  return new Map(pairs.flatMap(([shape, names]) => names.split(' ').map((name) => [name, shape] as const)));
}

const keywords: Readonly<Record<Dialect, ReadonlyMap<string, Shape>>> = {
  'draft-07': byKeyword(both, only07),
  'draft-2020-12': byKeyword(both, only2020),
};

const typeNames: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

const isSchema = (value: Json): boolean => typeof value === 'boolean' || isJsonObject(value);
const isSchemas = (value: Json): boolean => Array.isArray(value) && value.length > 0 && value.every(isSchema);
const isCount = (value: Json): boolean => Number.isInteger(value) && (value as number) >= 0;
const isStrings = (value: Json): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') && new Set(value).size === value.length;
const isMapOf =
  (fits: (value: Json) => boolean) =>
  (value: Json): boolean =>
    isJsonObject(value) && Object.values(value).every(fits);

const shapes: Readonly<Record<Shape, { fits: (value: Json) => boolean; means: string }>> = {
  schema: { fits: isSchema, means: 'a schema (an object or a boolean)' },
  schemas: { fits: isSchemas, means: 'a list of at least one schema' },
  schemaMap: { fits: isMapOf(isSchema), means: 'an object of schemas' },
  schemaOrSchemas: { fits: (value) => isSchema(value) || isSchemas(value), means: 'a schema or a list of schemas' },
  dependencies: {
    fits: isMapOf((value) => isSchema(value) || isStrings(value)),
    means: 'an object of schemas or lists of property names',
  },
  number: { fits: (value) => typeof value === 'number', means: 'a number' },
  positive: { fits: (value) => typeof value === 'number' && value > 0, means: 'a number above 0' },
  count: { fits: isCount, means: 'a whole number of at least 0' },
  boolean: { fits: (value) => typeof value === 'boolean', means: 'true or false' },
  string: { fits: (value) => typeof value === 'string', means: 'a string' },
  strings: { fits: isStrings, means: 'a list of different strings' },
  stringsMap: { fits: isMapOf(isStrings), means: 'an object of lists of different strings' },
  enum: { fits: Array.isArray, means: 'a list of values' },
  type: {
    fits: (value) =>
      typeNames.has(value) || (isStrings(value) && (value as Json[]).every((name) => typeNames.has(name))),
    means: `one of ${[...typeNames].join(', ')}, or a list of these`,
  },
  any: { fits: () => true, means: 'any value' },
};

/** A keyword of `node`, if the dialect has it. */
export function keywordOf(node: JsonObject, keyword: string, dialect: Dialect): Json | undefined {
  return keywords[dialect].has(keyword) ? own(node, keyword) : undefined;
}

/** Throws `invalid-schema` where a keyword of `node` is not what its dialect asks for. */
export function checkKeywords(node: JsonObject, pointer: string, dialect: Dialect): void {
  for (const [keyword, value] of Object.entries(node)) {
    const shape = keywords[dialect].get(keyword);
    if (shape === undefined) continue;
    if (!shapes[shape].fits(value)) {
      const listed = dialect === 'draft-2020-12' && keyword === 'items' && Array.isArray(value);
      const hint = listed
        ? 'Use prefixItems, or name draft-07 in $schema.'
        : `Write ${shapes[shape].means}, as ${dialect} requires.`;
      throw refusal(below(pointer, keyword), `must be ${shapes[shape].means}.`, hint);
    }
    if (keyword === 'enum' && (value as Json[]).length > maxEnumLength) {
      const hint = 'Check the value in the handler.';
      throw refusal(below(pointer, keyword), `has more than ${maxEnumLength} members.`, hint);
    }
  }
}
