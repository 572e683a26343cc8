/** The subschemas of a schema, and whether each applies to the value itself or to a part of it. */

import { below } from '../limits.ts';
import { type Dialect, keywordOf } from './dialect.ts';
import { isJsonObject, type Json, type JsonObject, own } from './snapshot.ts';

/** `here`: applied to the same value. `inside`: applied to a part of it. `definition`: only referred to. */
export type Scope = 'here' | 'inside' | 'definition';

export interface Subschema {
  readonly schema: JsonObject;
  readonly pointer: string;
  readonly scope: Scope;
}

const scopes: readonly (readonly [keyword: string, scope: Scope])[] = [
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'].map(
    (keyword) => [keyword, 'here'] as const,
  ),
  ...['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'unevaluatedProperties'].map(
    (keyword) => [keyword, 'inside'] as const,
  ),
  ...['items', 'prefixItems', 'additionalItems', 'contains', 'unevaluatedItems'].map(
    (keyword) => [keyword, 'inside'] as const,
  ),
  ...['$defs', 'definitions'].map((keyword) => [keyword, 'definition'] as const),
];

const maps: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** The object schemas directly under `node`. Boolean ones hold nothing and are left out. */
export function subschemasOf(node: JsonObject, pointer: string, dialect: Dialect): Subschema[] {
  const found: Subschema[] = [];
  const add = (schema: Json, pointer: string, scope: Scope): void => {
    if (isJsonObject(schema)) found.push({ schema, pointer, scope });
  };
  // In draft-07 a $ref hides the keywords beside it.
  const hidden = dialect === 'draft-07' && own(node, '$ref') !== undefined;
  for (const [keyword, scope] of scopes) {
    const value = keywordOf(node, keyword, dialect);
    if (value === undefined || (hidden && scope !== 'definition')) continue;
    const place = below(pointer, keyword);
    if (Array.isArray(value)) for (const [index, item] of value.entries()) add(item, below(place, index), scope);
    else if (!isJsonObject(value)) continue;
    else if (!maps.has(keyword)) add(value, place, scope);
    else for (const [key, item] of Object.entries(value)) add(item, below(place, key), scope);
  }
  return found;
}
