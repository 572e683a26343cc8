/** For the strict mode of OpenAI: closed objects, every property required, optional ones nullable. */
import { isRecord } from '../../lib/values/is.ts';
import { below, describe, mapSubschemas, type Node, subschemas, typesOf } from './nodes.ts';
import { type AcceptsNull, nullCheck } from './nulls.ts';
import { createReport, type Report } from './report.ts';

/** What strict mode can express; everything else becomes text. */
const known: ReadonlySet<string> = new Set([
  '$defs',
  '$ref',
  'additionalProperties',
  'anyOf',
  'const',
  'definitions',
  'description',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'items',
  'maxItems',
  'maximum',
  'minItems',
  'minimum',
  'multipleOf',
  'pattern',
  'properties',
  'required',
  'title',
  'type',
]);

/** Keywords that a text cannot replace: without them values would have no form at all. */
const formless: readonly string[] = ['allOf', 'patternProperties', 'prefixItems', 'dependentSchemas', 'dependencies'];

const formats: ReadonlySet<unknown> = new Set([
  'date',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'time',
  'uuid',
]);

/**
 * Bounds of strict mode.
 * @limit agents
 * @beyond the tool is not strict
 */
export const maxStrictProperties = 5000;

/**
 * Levels of objects in strict mode.
 * @limit agents
 * @beyond the tool is not strict
 */
export const maxStrictDepth = 10;

/** The strict form, or why there is none. */
export function toStrict(root: Node, report: Report): Node | { readonly formless: string } {
  const reason = whyNotStrict(root, '', 0, { properties: 0 });
  if (reason !== undefined) return { formless: reason };
  const strict = createReport(report.target);
  const acceptsNull = nullCheck(root);
  const visit = (schema: unknown, path: string): unknown => {
    if (!isRecord(schema)) return schema;
    const unknown = Object.keys(schema).filter((keyword) => !isKnown(keyword, schema[keyword]));
    const { node, moved } = describe(schema, unknown);
    if (moved.length > 0) strict.add(path, 'keyword-described', `${moved.join(', ')} became text in the description.`);
    const inner = alone(typed(mapSubschemas(node, path, visit)));
    return isObject(schema) ? closed(inner, schema, path, { report: strict, acceptsNull }) : inner;
  };
  const lowered = visit(root, '') as Node;
  report.changes.push(...strict.changes);
  return lowered;
}

const isKnown = (keyword: string, value: unknown): boolean =>
  known.has(keyword) && (keyword !== 'format' || formats.has(value)) && (keyword !== 'pattern' || isPlain(value));

/** Patterns that look ahead or behind, or are invalid, are refused. */
function isPlain(pattern: unknown): boolean {
  if (typeof pattern !== 'string' || /\(\?[=!<]/.test(pattern)) return false;
  try {
    return new RegExp(pattern, 'u').unicode;
  } catch {
    return false;
  }
}

/** A reference has nothing beside it. */
function alone(node: Node): Node {
  const { $ref, description, title } = node;
  if ($ref === undefined || Object.keys(node).length === 1) return node;
  return {
    anyOf: [{ $ref }],
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  };
}

/** Values alone are not enough: every schema has a type. */
function typed(node: Node): Node {
  const values = valuesOf(node);
  return node.type !== undefined || values === undefined ? node : { ...node, type: [...new Set(values.map(typeOf))] };
}

const valuesOf = (node: Node): readonly unknown[] | undefined =>
  Array.isArray(node.enum) ? node.enum : 'const' in node ? [node.const] : undefined;

const typeOf = (value: unknown): string => (value === null ? 'null' : typeof value);

const isObject = (node: Node): boolean => node.properties !== undefined || typesOf(node)?.includes('object') === true;

interface Closing {
  readonly report: Report;
  readonly acceptsNull: AcceptsNull;
}

function closed(node: Node, original: Node, path: string, { report, acceptsNull }: Closing): Node {
  const properties = isRecord(node.properties) ? node.properties : {};
  const before = isRecord(original.properties) ? original.properties : {};
  const required: readonly unknown[] = Array.isArray(original.required) ? original.required : [];
  const all: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const isOptional = !required.includes(name) && isRecord(schema);
    const isNullable = isOptional && acceptsNull(before[name]);
    all[name] = isOptional && !isNullable ? nullable(schema as Node) : schema;
    if (isOptional) report.add(below(below(path, 'properties'), name), 'argument-nullable', 'Optional: null if unset.');
  }
  if (original.additionalProperties !== false)
    report.add(path, 'object-closed', 'Only the listed properties can be passed.');
  return { ...node, properties: all, required: Object.keys(all), additionalProperties: false };
}

/** The schema, or null. */
export function nullable(schema: Node): Node {
  const { type, ...rest } = schema;
  const isPlainType = typeof type === 'string' || Array.isArray(type);
  const isRestricted = ['enum', 'const', '$ref', 'anyOf'].some((keyword) => keyword in schema);
  if (isPlainType && !isRestricted) return { ...rest, type: [...(Array.isArray(type) ? type : [type]), 'null'] };
  const { description, title, ...inner } = schema;
  return {
    anyOf: [inner, { type: 'null' }],
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  };
}

interface Count {
  properties: number;
}

function whyNotStrict(node: Node, path: string, depth: number, count: Count): string | undefined {
  const at = path === '' ? 'the root' : path.slice(0, 100);
  const keyword = formless.find((one) => node[one] !== undefined);
  if (keyword !== undefined) return `${at} has ${keyword}`;
  const isDefinition = /^\/(?:\$defs|definitions)$/.test(path);
  const hasForm = ['type', '$ref', 'anyOf', 'enum', 'const'].some((one) => node[one] !== undefined);
  if (!hasForm && !isDefinition) return `${at} accepts any value`;
  if (valuesOf(node)?.some((value) => typeof value === 'object' && value !== null)) return `${at} has values in values`;
  if (typesOf(node)?.includes('array') === true && !isRecord(node.items)) return `${at} has items of any kind`;
  if (isObject(node)) {
    const { properties = {}, required = [], additionalProperties = true } = node;
    const names = Object.keys(properties as object);
    // A record, or an object of any kind, cannot be closed.
    const isAnything = path === '' ? node.additionalProperties === true : additionalProperties !== false;
    if (isRecord(additionalProperties) || (names.length === 0 && isAnything)) return `${at} has properties of any name`;
    if ((required as readonly string[]).some((name) => !names.includes(name))) return `${at} requires unlisted names`;
    if ((count.properties += names.length) > maxStrictProperties) return 'there are too many properties';
  }
  if (depth > maxStrictDepth) return 'it is nested too deep';
  for (const [schema, place] of subschemas(node, path)) {
    if (place.endsWith('/additionalProperties') && !isRecord(schema)) continue;
    if (!isRecord(schema)) return `${place.slice(0, 100)} accepts any value`;
    const reason = whyNotStrict(schema, place, depth + (isObject(schema) ? 1 : 0), count);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
