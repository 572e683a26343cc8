/** The parts of a JSON Schema: which keywords hold schemas, pointers to them, and notes in a description. */
import { isRecord } from '../../lib/values/is.ts';

/** A schema that is an object. Lowering never changes one in place. */
export type Node = Readonly<Record<string, unknown>>;

/** Keywords whose value is one schema. */
const single: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/** Keywords whose value is a list of schemas. */
const lists: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
/** Keywords whose value is a record of schemas. */
const maps: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** The schemas directly in a node, booleans included, with their pointers. */
export function subschemas(node: Node, path: string): Array<readonly [schema: unknown, path: string]> {
  const found: Array<readonly [unknown, string]> = [];
  for (const [keyword, value] of Object.entries(node)) {
    const place = below(path, keyword);
    if (Array.isArray(value)) {
      if (lists.has(keyword)) value.forEach((one, n) => found.push([one, below(place, n)]));
    } else if (maps.has(keyword)) {
      if (isRecord(value))
        // A draft-07 dependency may be a list of names.
        for (const [key, one] of Object.entries(value)) if (!Array.isArray(one)) found.push([one, below(place, key)]);
    } else if (single.has(keyword)) found.push([value, place]);
  }
  return found;
}

/** A copy whose subschemas are replaced. `undefined` as a replacement takes the subschema out. */
export function mapSubschemas(node: Node, path: string, replace: (schema: unknown, path: string) => unknown): Node {
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(node)) {
    const place = below(path, keyword);
    if (Array.isArray(value) && lists.has(keyword)) {
      copy[keyword] = value.map((one, n) => replace(one, below(place, n)) ?? {});
    } else if (isRecord(value) && maps.has(keyword)) {
      copy[keyword] = mapValues(value, (one, key) => (Array.isArray(one) ? one : replace(one, below(place, key))));
    } else if (single.has(keyword) && !Array.isArray(value)) {
      const replaced = replace(value, place);
      if (replaced !== undefined) copy[keyword] = replaced;
    } else copy[keyword] = value;
  }
  return copy;
}

/** A record with other values; what becomes `undefined` is left out. */
export const mapValues = <T>(record: Node, replace: (value: unknown, key: string) => T): Record<string, T> =>
  // Not by assignment: a property may be named `__proto__`.
  Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => {
      const replaced = replace(value, key);
      return replaced === undefined ? [] : [[key, replaced] as const];
    }),
  );

export const without = (node: Node, keywords: readonly string[]): Node =>
  Object.fromEntries(Object.entries(node).filter(([keyword]) => !keywords.includes(keyword)));

export const below = (path: string, key: string | number): string =>
  `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The schema that a reference of the same document names, or `undefined`. */
export function resolve(root: Node, reference: unknown): unknown {
  if (reference === '#') return root;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  let place: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return undefined;
    place = (place as Record<string, unknown>)[key];
  }
  return isRecord(place) || typeof place === 'boolean' ? place : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The longest note about one keyword. */
const maxNote = 200;

/** The node with a note at the end of its description. */
export function withNote(node: Node, note: string): Node {
  const short = note.length > maxNote ? `${note.slice(0, maxNote - 1)}…` : note;
  const before = typeof node.description === 'string' && node.description !== '' ? `${node.description} ` : '';
  return { ...node, description: `${before}(${short})` };
}

/** Moves keywords of a node into its description. */
export function describe(node: Node, keywords: readonly string[]): { readonly node: Node; readonly moved: string[] } {
  const moved = keywords.filter((keyword) => node[keyword] !== undefined);
  if (moved.length === 0) return { node, moved };
  const notes = moved.map((keyword) => `${keyword}: ${JSON.stringify(node[keyword])}`);
  return { node: notes.reduce(withNote, without(node, moved)), moved };
}

/** Annotations: what says something about values, and refuses none. */
const annotations: ReadonlySet<string> = new Set([
  '$comment',
  '$defs',
  'default',
  'definitions',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
]);

export const isAnnotation = (keyword: string): boolean => annotations.has(keyword);

/** Whether a node refuses no value. */
export const refusesNothing = (node: Node): boolean => Object.keys(node).every(isAnnotation);

export const typesOf = ({ type }: Node): readonly unknown[] | undefined =>
  type === undefined ? undefined : Array.isArray(type) ? type : [type];
