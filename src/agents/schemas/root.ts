/** One object at the root: unions and intersections there are merged, and the alternatives go into the description. */
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import { isRecord } from '../../lib/values/is.ts';
import { describe, mapSubschemas, type Node, refusesNothing, resolve, typesOf, withNote, without } from './nodes.ts';
import type { Report } from './report.ts';

/** What a schema says about objects. */
interface ObjectShape {
  readonly properties: ReadonlyMap<string, Node>;
  readonly required: ReadonlySet<string>;
  /** Other properties: `true`, `false`, or their schema. */
  readonly additional: unknown;
  /** Whether more keywords say something about them. */
  readonly hasMore: boolean;
}

const combining: readonly string[] = ['$ref', 'allOf', 'anyOf', 'oneOf'];
/** What says at the root which objects fit, and providers refuse there. */
const testing: readonly string[] = ['not', 'if', 'then', 'else', 'enum', 'const'];
/** What depends on what other keywords accepted. */
const dependent: readonly string[] = ['unevaluatedProperties'];

const open: ObjectShape = { properties: new Map(), required: new Set(), additional: true, hasMore: true };

/** Levels of unions in unions that are merged. */
const deepest = 10;

/**
 * Schemas that are merged into the root of one tool: unions, intersections, and what they refer to.
 * @limit agents
 * @beyond they accept any value
 */
export const maxMerged = 1000;

export function toObjectRoot(root: Node, report: Report): Node {
  const found = combining.filter((keyword) => root[keyword] !== undefined);
  const { node: described, moved } = describe(root, testing);
  if (moved.length > 0) report.add('', 'keyword-described', `${moved.join(', ')} became text in the description.`);
  if (found.length === 0 && moved.length === 0) return { ...root, type: 'object' };
  const stable = withOwnReferences(root, described);
  if (found.length === 0) return { ...without(stable, dependent), type: 'object' };
  const merge = new Merge(stable, report);
  const own = without(stable, [...combining, ...dependent]);
  const { properties, required, additional } = merge.shapeOf(stable, 0) ?? ownShape(stable);
  const merged = {
    ...own,
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.size > 0 && { required: [...required] }),
    ...(additional !== true && { additionalProperties: additional }),
  };
  report.add('', 'root-merged', `${found.join(', ')} at the root became one object.`);
  return merge.alternatives.length === 0 ? merged : withNote(merged, merge.alternatives.join('. '));
}

class Merge {
  readonly #root: Node;
  readonly #report: Report;
  readonly alternatives: string[] = [];
  #merged = 0;

  constructor(root: Node, report: Report) {
    this.#root = root;
    this.#report = report;
  }

  /** `undefined` where no object fits. */
  shapeOf(schema: unknown, depth: number): ObjectShape | undefined {
    if (schema === false) return undefined;
    if (!isRecord(schema) || depth > deepest || ++this.#merged > maxMerged) return open;
    const types = typesOf(schema);
    if (types !== undefined && !types.includes('object')) return undefined;
    const shapes = [
      ...(schema.$ref === undefined ? [] : [this.shapeOf(resolve(this.#root, schema.$ref), depth + 1)]),
      ...listed(schema.allOf).map((one) => this.shapeOf(one, depth + 1)),
    ];
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      if (schema[keyword] !== undefined) shapes.push(this.#either(listed(schema[keyword]), schema, depth));
    }
    const possible = shapes.filter((shape) => shape !== undefined);
    return possible.length < shapes.length ? undefined : together(ownShape(schema), possible);
  }

  #either(branches: readonly unknown[], beside: Node, depth: number): ObjectShape | undefined {
    const shapes = branches.flatMap((branch) => this.shapeOf(branch, depth + 1) ?? []);
    const [first, ...others] = shapes;
    if (first === undefined) return undefined;
    const names = new Set(shapes.flatMap(({ properties }) => [...properties.keys()]));
    const known = isRecord(beside.properties) ? beside.properties : {};
    const properties = new Map<string, Node>();
    for (const name of names) {
      const schemas = shapes.map((shape) => schemaFor(shape, name)).filter((one) => one !== undefined);
      const isOpen = shapes.some((shape) => !shape.properties.has(name) && shape.additional === true);
      const isKnown = isRecord(known[name]) && !refusesNothing(known[name]);
      properties.set(name, isKnown ? {} : anyOfThem(schemas));
      if (isOpen && !isKnown && !refusesNothing(anyOfThem(schemas)))
        this.#report.add('', 'union-narrowed', `${name} has its type also where only other alternatives have it.`);
    }
    if (shapes.length > 1) this.alternatives.push(`one of these: ${shapes.map(namesIn).join('; ')}`);
    return {
      properties,
      required: new Set([...first.required].filter((name) => others.every(({ required }) => required.has(name)))),
      additional: !shapes.every(isClosed),
      hasMore: shapes.some(({ hasMore }) => hasMore),
    };
  }
}

const isClosed = ({ additional, hasMore }: ObjectShape): boolean => additional === false && !hasMore;

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function ownShape(schema: Node): ObjectShape {
  const { properties, required, additionalProperties = true, patternProperties } = schema;
  return {
    properties: new Map(
      Object.entries(isRecord(properties) ? properties : {}).map(([name, one]) => [name, isRecord(one) ? one : {}]),
    ),
    required: new Set(listed(required) as readonly string[]),
    additional: isRecord(additionalProperties) && refusesNothing(additionalProperties) ? true : additionalProperties,
    hasMore: patternProperties !== undefined,
  };
}

/** What a shape says about a property; nothing where it refuses it. */
function schemaFor({ properties, additional, hasMore }: ObjectShape, name: string): Node | undefined {
  const own = properties.get(name);
  if (own !== undefined) return own;
  if (hasMore && additional === false) return {};
  return isRecord(additional) ? additional : undefined;
}

/** Any of the schemas, each once. */
function anyOfThem(schemas: readonly Node[]): Node {
  const different = [...new Map(schemas.map((one) => [textOf(one), one])).values()];
  const [first, second] = different;
  if (first === undefined) return {};
  if (second === undefined) return first;
  return different.some(refusesNothing) ? {} : { anyOf: different };
}

/** An object that fits all. What the first says about other properties stays. */
function together(first: ObjectShape, others: readonly ObjectShape[]): ObjectShape {
  const properties = new Map(first.properties);
  const required = new Set(first.required);
  let { additional, hasMore } = first;
  for (const other of others) {
    const isAlone = properties.size === 0 && additional === true && !hasMore;
    if (isAlone) additional = isClosed(other) || !other.hasMore ? other.additional : true;
    hasMore ||= other.hasMore;
    for (const name of other.required) required.add(name);
    for (const [name, schema] of other.properties) {
      const known = properties.get(name);
      properties.set(name, known === undefined ? schema : bothOf(known, schema));
    }
  }
  return { properties, required, additional, hasMore };
}

function bothOf(one: Node, other: Node): Node {
  const all = intersections.get(one) ?? [one];
  if (refusesNothing(other) || all.some((each) => textOf(each) === textOf(other))) return one;
  if (refusesNothing(one)) return { ...other, ...one };
  const joined = { allOf: [...all, other] };
  intersections.set(joined, joined.allOf);
  return joined;
}

/** What the intersections that were made here consist of: a further schema is added, not wrapped around them. */
const intersections = new WeakMap<Node, readonly Node[]>();

const texts = new WeakMap<Node, string>();

/** The schema as a text that is the same for the same schema. Each is written once. */
function textOf(schema: Node): string {
  const text = texts.get(schema) ?? canonicalJson(schema);
  texts.set(schema, text);
  return text;
}

function namesIn({ properties, required }: ObjectShape): string {
  const names = [
    ...required,
    ...[...properties.keys()].filter((name) => !required.has(name)).map((name) => `${name}?`),
  ];
  return names.length === 0 ? 'nothing' : names.join(', ');
}

/** References to what merging takes away get a definition of their own. */
function withOwnReferences(original: Node, node: Node): Node {
  /** By what they lead to: a reference has many spellings. */
  const moved = new Map<unknown, string>();
  const visit = (schema: unknown, path: string): unknown => {
    if (!isRecord(schema)) return schema;
    const { $ref } = schema;
    let copy: Node = schema;
    if (typeof $ref === 'string' && !/^#\/(?:\$defs|definitions)\/[^/]+$/.test($ref)) {
      const place = resolve(original, $ref);
      if (!moved.has(place)) moved.set(place, `place-${moved.size + 1}`);
      copy = { ...schema, $ref: `#/$defs/${moved.get(place)}` };
    }
    return mapSubschemas(copy, path, visit);
  };
  let changed = visit(node, '') as Node;
  // A moved schema may have such references itself.
  for (const [place, name] of moved) {
    const target = visit(place === original ? without(original, ['$defs', 'definitions']) : place, '');
    changed = { ...changed, $defs: { ...(isRecord(changed.$defs) ? changed.$defs : {}), [name]: target } };
  }
  return changed;
}
