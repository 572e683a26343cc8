/** One alternative of a schema: values of one type, and their bounds. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { Located } from './document.ts';
import { bounds } from './keywords.ts';

export const jsonTypes = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;
export type JsonType = (typeof jsonTypes)[number];

export interface Alternative {
  readonly type: JsonType;
  /** The only values, if there are few. */
  readonly values: readonly unknown[] | undefined;
  readonly isInteger: boolean;
  readonly bounds: Readonly<Record<string, number>>;
  readonly multiples: readonly number[];
  readonly patterns: readonly string[];
  readonly formats: readonly string[];
  /** Rules that are not compared, as texts. */
  readonly rules: readonly string[];
  readonly properties: ReadonlyMap<string, Located>;
  readonly required: ReadonlySet<string>;
  /** Other fields: not mentioned, accepted, refused, or of a schema. */
  readonly others: 'open' | 'any' | 'closed' | Located;
  /** The schemas of the first items. */
  readonly first: readonly Located[];
  /** The schema of the items after them; absent if it is any. */
  readonly items: Located | undefined;
}

export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as JsonType;
}

/** The values that are in both; none if that is known to be empty. */
export function intersection(one: Alternative, other: Alternative): Alternative[] {
  const values = commonValues(one.values, other.values);
  const required = new Set([...one.required, ...other.required]);
  const properties = commonFields(one, other);
  if (values?.length === 0 || properties === undefined) return [];
  return [
    {
      type: one.type,
      values,
      isInteger: one.isInteger || other.isInteger,
      bounds: commonBounds(one.bounds, other.bounds),
      multiples: union(one.multiples, other.multiples),
      patterns: union(one.patterns, other.patterns),
      formats: union(one.formats, other.formats),
      rules: [...union(one.rules, other.rules), ...lostItems(one, other)],
      properties,
      required,
      others: commonOthers(one.others, other.others),
      first: one.first.length > 0 ? one.first : other.first,
      items: bothOf(one.items, other.items),
    },
  ];
}

const union = <T>(some: readonly T[], others: readonly T[]): readonly T[] => [...new Set([...some, ...others])];

/** Tuples of two schemas are not merged. */
const lostItems = (one: Alternative, other: Alternative): string[] =>
  one.first.length > 0 && other.first.length > 0 ? ['prefixItems of two schemas'] : [];

export function commonValues(
  some: readonly unknown[] | undefined,
  others: readonly unknown[] | undefined,
): readonly unknown[] | undefined {
  if (some === undefined || others === undefined) return some ?? others;
  const texts = new Set(others.map(canonicalJson));
  return some.filter((value) => texts.has(canonicalJson(value)));
}

const commonBounds = (some: Alternative['bounds'], others: Alternative['bounds']): Alternative['bounds'] => ({
  ...some,
  ...Object.fromEntries(
    Object.entries(others).map(([name, bound]) => {
      const least = bounds[name]?.kind !== 'most';
      return [name, least ? Math.max(some[name] ?? -Infinity, bound) : Math.min(some[name] ?? Infinity, bound)];
    }),
  ),
});

/** The fields of both; absent if a required one is refused. */
function commonFields(one: Alternative, other: Alternative): ReadonlyMap<string, Located> | undefined {
  const fields = new Map<string, Located>();
  for (const name of new Set([...one.properties.keys(), ...other.properties.keys()])) {
    const sides = [allowed(one, name), allowed(other, name)] as const;
    const isRefused = sides.includes('closed');
    if (isRefused && (one.required.has(name) || other.required.has(name))) return undefined;
    const both = bothOf(...(sides.map((side) => (typeof side === 'string' ? undefined : side)) as [Located, Located]));
    if (!isRefused && both !== undefined) fields.set(name, both);
  }
  return fields;
}

const allowed = ({ properties, others }: Alternative, name: string): Alternative['others'] =>
  properties.get(name) ?? others;

function commonOthers(one: Alternative['others'], other: Alternative['others']): Alternative['others'] {
  if (one === 'closed' || other === 'closed') return 'closed';
  if (typeof one === 'object' && typeof other === 'object') return bothOf(one, other) ?? one;
  if (typeof one === 'object') return one;
  if (typeof other === 'object') return other;
  return one === 'open' && other === 'open' ? 'open' : 'any';
}

function bothOf(one: Located | undefined, other: Located | undefined): Located | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.node === other.node ? one : { root: one.root, node: { allOf: [one.node, other.node] } };
}

/** Whether no value is in both: by their values, their numbers, or a field that distinguishes them. */
export function disjoint(
  one: Alternative,
  other: Alternative,
  read: (schema: Located) => readonly Alternative[],
): boolean {
  if (one.type !== other.type) return true;
  if (one.values !== undefined && other.values !== undefined)
    return commonValues(one.values, other.values)?.length === 0;
  const { minimum = -Infinity, maximum = Infinity } = one.bounds;
  const { minimum: least = -Infinity, maximum: most = Infinity } = other.bounds;
  if (minimum > most || least > maximum) return true;
  return [...one.required].some((name) => {
    const mine = one.properties.get(name);
    const theirs = other.required.has(name) ? other.properties.get(name) : undefined;
    if (mine === undefined || theirs === undefined) return false;
    const values = [read(mine), read(theirs)] as const;
    if (!values.flat().every((each) => each.values !== undefined)) return false;
    const texts = new Set(values[1].flatMap((each) => each.values?.map(canonicalJson) ?? []));
    return values[0].every((each) => each.values?.every((value) => !texts.has(canonicalJson(value))));
  });
}
