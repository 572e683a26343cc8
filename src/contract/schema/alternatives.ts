/** Converts a schema to a list of alternatives, each of one type, for the comparison. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { isRecord } from '../../lib/values/is.ts';
import {
  type Alternative,
  commonValues,
  disjoint,
  intersection,
  type JsonType,
  jsonTypes,
  typeOf,
} from './alternative.ts';
import { canonicalSchema } from './canonical.ts';
import { type Fields, inside, type Located, ownField, resolved, TooMuchWork, type Work } from './document.ts';
import { bounds, uncompared } from './keywords.ts';

/**
 * Alternatives of one schema.
 * @limit contract
 * @beyond the change is `undecided`, the type `unknown`
 */
const maxAlternatives = 200;

/** The alternatives that were found in the course of each work, by the schema. */
const readInWork = new WeakMap<Work, Map<unknown, readonly Alternative[]>>();

function readFor(work: Work): Map<unknown, readonly Alternative[]> {
  const read = readInWork.get(work) ?? new Map<unknown, readonly Alternative[]>();
  readInWork.set(work, read);
  return read;
}

/** All values of the schema are in one of the alternatives. */
export function alternativesOf(schema: Located, work: Work, depth = 0): readonly Alternative[] {
  work.step(depth);
  if (schema.node === false) return [];
  const read = readFor(work);
  const known = read.get(schema.node);
  if (known !== undefined) return known;
  const found = partsOf(schema, work, depth)
    .flatMap((part) => conditionsOf(inside(schema, part), part, work, depth))
    .reduce<readonly Alternative[]>((all, one) => bounded(intersections(all, one, work)), anything);
  // `true` and texts are no schemas of one document.
  if (isRecord(schema.node)) read.set(schema.node, found);
  return found;
}

/** The schema, what it refers to and what is in `allOf`, each once: all of them hold. */
export function partsOf(schema: Located, work: Work, depth: number): Fields[] {
  const parts = new Set<Fields>();
  collectParts(schema, work, depth, parts);
  return [...parts];
}

function collectParts({ node, root }: Located, work: Work, depth: number, parts: Set<Fields>): void {
  work.step(depth);
  if (node === false) parts.add(nothing);
  if (!isRecord(node) || parts.has(node)) return;
  const { $ref, allOf } = node;
  parts.add(node);
  const target = resolved(root, $ref, work);
  if (target !== undefined) collectParts({ node: target, root }, work, depth + 1, parts);
  if (Array.isArray(allOf)) for (const one of allOf) collectParts({ node: one, root }, work, depth + 1, parts);
}

/** The schema that no value matches. */
const nothing: Fields = { enum: [] };

/** The alternatives that each keyword, or group of keywords, allows. */
function conditionsOf(at: Located, part: Fields, work: Work, depth: number): (readonly Alternative[])[] {
  const conditions: (readonly Alternative[])[] = [typed(at, part, work)];
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = part[keyword];
    if (!Array.isArray(branches)) continue;
    const distinctBranches = keyword === 'anyOf' ? withoutRepeats(branches, at, work) : branches;
    const each = distinctBranches.map((branch) => alternativesOf(inside(at, branch), work, depth + 1));
    const all = bounded(each.flat());
    // Of alternatives that exclude each other, exactly one is at least one.
    const isExact = keyword === 'anyOf' || each.every((one, at) => excludes(one, each.slice(at + 1).flat(), work));
    const rule = isExact ? undefined : `oneOf ${canonicalSchema(inside(at, { oneOf: branches }), work)}`;
    conditions.push(rule === undefined ? all : all.map((one) => ({ ...one, rules: [...one.rules, rule] })));
  }
  return conditions;
}

/** The branches that differ: repeated ones would double the alternatives at every level. */
const withoutRepeats = (branches: readonly unknown[], at: Located, work: Work): unknown[] => [
  ...new Map(branches.map((branch) => [canonicalSchema(inside(at, branch), work), branch])).values(),
];

const anything: readonly Alternative[] = jsonTypes.map((type) => unbounded(type));

function unbounded(type: JsonType): Alternative {
  return {
    type,
    values: type === 'null' ? [null] : type === 'boolean' ? [true, false] : undefined,
    isInteger: false,
    bounds: {},
    multiples: [],
    patterns: [],
    formats: [],
    rules: [],
    properties: new Map(),
    required: new Set(),
    others: 'open',
    first: [],
    items: undefined,
  };
}

function typed(at: Located, part: Fields, work: Work): Alternative[] {
  const types = part.type === undefined ? undefined : new Set([part.type].flat());
  const listed = listedValues(part);
  const isInteger = types !== undefined && !types.has('number') && types.has('integer');
  return jsonTypes
    .filter((type) => types === undefined || types.has(type) || (type === 'number' && types.has('integer')))
    .flatMap((type) => {
      const values = listed?.filter((value) => typeOf(value) === type && (!isInteger || Number.isInteger(value)));
      if (values?.length === 0) return [];
      const one = { ...unbounded(type), isInteger: isInteger && type === 'number', rules: rulesOf(at, part, work) };
      return [{ ...withKeywords(one, at, part), ...(values && { values: distinct(values) }) }];
    });
}

/** The values of `enum` and `const`: those of both if a schema has both. */
function listedValues(part: Fields): readonly unknown[] | undefined {
  const all = Array.isArray(part.enum) ? part.enum : undefined;
  return commonValues(all, Object.hasOwn(part, 'const') ? [part.const] : undefined);
}

function withKeywords(one: Alternative, at: Located, part: Fields): Alternative {
  switch (one.type) {
    case 'number':
      return { ...one, bounds: numberBounds(part, one.isInteger), multiples: numbers(part.multipleOf) };
    case 'string':
      return {
        ...one,
        bounds: boundsOf(part, 'string'),
        patterns: texts(part.pattern),
        formats: [part.format, part.contentEncoding, part.contentMediaType].flatMap(texts),
      };
    case 'array':
      return { ...one, bounds: arrayBounds(part), ...itemsOf(at, part) };
    case 'object':
      return { ...one, bounds: boundsOf(part, 'object'), ...fieldsOf(at, part) };
    default:
      return one;
  }
}

const numbers = (value: unknown): number[] => (typeof value === 'number' ? [value] : []);
const texts = (value: unknown): string[] => (typeof value === 'string' ? [value] : []);

/** A bound of 0 on a count excludes nothing. */
const boundsOf = (part: Fields, type: string): Record<string, number> =>
  Object.fromEntries(
    Object.entries(bounds).flatMap(([name, { kind, type: own }]) => {
      const bound = ownField(part, name);
      const isEmpty = type !== 'number' && kind === 'least' && bound === 0;
      return own === type && typeof bound === 'number' && !isEmpty ? [[name, bound] as const] : [];
    }),
  );

/** Integers have one way to write a bound. */
function numberBounds(part: Fields, isInteger: boolean): Record<string, number> {
  const own = boundsOf(part, 'number');
  if (!isInteger) return own;
  const { exclusiveMinimum, exclusiveMaximum, minimum = -Infinity, maximum = Infinity } = own;
  const least = Math.max(
    Math.ceil(minimum),
    exclusiveMinimum === undefined ? -Infinity : Math.floor(exclusiveMinimum) + 1,
  );
  const most = Math.min(
    Math.floor(maximum),
    exclusiveMaximum === undefined ? Infinity : Math.ceil(exclusiveMaximum) - 1,
  );
  return { ...(least > -Infinity && { minimum: least }), ...(most < Infinity && { maximum: most }) };
}

const arrayBounds = (part: Fields): Record<string, number> => ({
  ...boundsOf(part, 'array'),
  ...(part.uniqueItems === true && { uniqueItems: 1 }),
});

/** `items` was a list in draft-07. */
function itemsOf(at: Located, part: Fields): Pick<Alternative, 'first' | 'items'> {
  const first = Array.isArray(part.prefixItems) ? part.prefixItems : Array.isArray(part.items) ? part.items : [];
  const items = Array.isArray(part.items) ? part.additionalItems : part.items;
  return {
    first: first.map((one) => inside(at, one)),
    items: items === undefined || items === true ? undefined : inside(at, items),
  };
}

function fieldsOf(at: Located, part: Fields): Pick<Alternative, 'properties' | 'required' | 'others'> {
  const properties = isRecord(part.properties) ? Object.entries(part.properties) : [];
  const required = Array.isArray(part.required) ? part.required.map(String) : [];
  return {
    properties: new Map(properties.map(([name, one]) => [name, inside(at, one)])),
    required: new Set(required),
    others: othersOf(at, part),
  };
}

/** Patterns of names are a rule of their own: then other fields are left to it. */
function othersOf(at: Located, { additionalProperties, patternProperties }: Fields): Alternative['others'] {
  if (additionalProperties === undefined) return 'open';
  if (additionalProperties === true || patternProperties !== undefined) return 'any';
  return additionalProperties === false ? 'closed' : inside(at, additionalProperties);
}

function rulesOf(at: Located, part: Fields, work: Work): string[] {
  const names = uncompared.filter((name) => Object.hasOwn(part, name));
  const found = names.map((name) => `${name} ${canonicalSchema(inside(at, { [name]: part[name] }), work)}`);
  if (part.patternProperties !== undefined && part.additionalProperties !== undefined)
    found.push(`additionalProperties ${canonicalSchema(inside(at, part.additionalProperties), work)}`);
  if (typeof part.$ref === 'string' && resolved(at.root, part.$ref, work) === undefined)
    found.push(`$ref ${part.$ref}`);
  return found;
}

const distinct = (values: readonly unknown[]): unknown[] => [
  ...new Map(values.map((value) => [canonicalJson(value), value])).values(),
];

const intersections = (some: readonly Alternative[], others: readonly Alternative[], work: Work): Alternative[] =>
  some.flatMap((one) =>
    others.flatMap((other) => {
      work.step(0, 1 + (partsIn(one) + partsIn(other)) / partsAStep);
      return one.type === other.type ? intersection(one, other) : [];
    }),
  );

/** So many names and texts are joined in the time of a step. */
const partsAStep = 20;

const partsIn = ({ properties, required, patterns, formats, rules, multiples }: Alternative): number =>
  properties.size + required.size + patterns.length + formats.length + rules.length + multiples.length;

const excludes = (some: readonly Alternative[], others: readonly Alternative[], work: Work): boolean =>
  some.every((one) => others.every((other) => disjoint(one, other, (schema) => alternativesOf(schema, work, 1))));

function bounded(all: readonly Alternative[]): readonly Alternative[] {
  if (all.length > maxAlternatives) throw new TooMuchWork();
  return all;
}
