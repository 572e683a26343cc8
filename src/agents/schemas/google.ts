/** For Gemini: references inlined, lists of types as `anyOf`, and what its Schema has no field for as text. */
import { isRecord } from '../../lib/values/is.ts';
import {
  below,
  describe,
  isAnnotation,
  mapSubschemas,
  type Node,
  resolve,
  typesOf,
  withNote,
  without,
} from './nodes.ts';
import { isImpossible, testing, withoutOneOf } from './openai.ts';
import type { Report } from './report.ts';

/** The fields of its Schema. */
const known: ReadonlySet<string> = new Set([
  'anyOf',
  'default',
  'description',
  'enum',
  'example',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'pattern',
  'properties',
  'propertyOrdering',
  'required',
  'title',
  'type',
]);

const formats: ReadonlySet<unknown> = new Set(['date-time', 'double', 'enum', 'float', 'int32', 'int64']);

/**
 * References that are followed inside each other.
 * @limit agents
 * @beyond the innermost accepts any value
 */
export const maxInlined = 5;

/**
 * Schemas after references are inlined.
 * @limit agents
 * @beyond further references accept any value
 */
export const maxInlinedSchemas = 5000;

/**
 * Characters of the schemas that references are replaced by, as JSON.
 * @limit agents
 * @beyond further references accept any value
 */
export const maxInlinedChars = 1_000_000;

export function toGoogle(root: Node, report: Report): Node {
  let count = 0;
  let chars = 0;
  const sizes = new Map<unknown, number>();
  const sizeOf = (schema: unknown): number => {
    const size = sizes.get(schema) ?? JSON.stringify(schema).length;
    sizes.set(schema, size);
    return size;
  };
  /** What a reference is replaced by, as long as there is room. */
  const targetOf = ($ref: string): unknown => {
    const target = resolve(root, $ref) ?? {};
    if (count > maxInlinedSchemas || chars + sizeOf(target) > maxInlinedChars) return {};
    chars += sizeOf(target);
    return target;
  };
  const visit = (schema: unknown, path: string, references: readonly string[]): unknown => {
    if (!isRecord(schema) || isImpossible(schema)) return schema === true ? {} : undefined;
    count++;
    const { $ref } = schema;
    let node: Node = without(schema, ['$defs', 'definitions']);
    let inside = references;
    if (typeof $ref === 'string') {
      const isCut =
        references.filter((one) => one === $ref).length >= maxInlined || references.length >= maxInlined * 4;
      const target = isCut ? {} : targetOf($ref);
      report.add(below(path, '$ref'), 'reference-inlined', isCut ? 'The recursion ends here.' : `${$ref} was inlined.`);
      inside = [...references, $ref];
      node = beside(without(node, ['$ref']), isRecord(target) ? without(target, ['$defs', 'definitions']) : {});
      if (node.$ref !== undefined) return visit(node, path, inside);
    }
    return lowered(node, path, report, (one, place) => visit(one, place, inside));
  };
  return visit(root, '', []) as Node;
}

/** Keywords beside a reference are its own; where both have one, that of the target is used. */
const beside = (node: Node, target: Node): Node => {
  const { description = node.description, title = node.title } = target;
  return {
    ...node,
    ...target,
    ...(node.description !== undefined
      ? { description: node.description }
      : description !== undefined && { description }),
    ...(title !== undefined && { title }),
  };
};

function lowered(schema: Node, path: string, report: Report, visit: (one: unknown, path: string) => unknown): Node {
  let node = withoutRequiring(withoutOneOf(constants(schema, path, report), path, report), path, report);
  if (Array.isArray(node.allOf)) {
    // The first is kept where nothing is beside it; all are in the text.
    const [first] = node.allOf as readonly unknown[];
    report.add(below(path, 'allOf'), 'keyword-described', '"allOf" became text, except for its first schema.');
    const { allOf, ...rest } = node;
    const isAlone = Object.keys(rest).every((keyword) => ['description', 'title', 'default'].includes(keyword));
    const text = `all of: ${JSON.stringify(allOf)}`;
    node = withNote(isAlone && isRecord(first) ? { ...first, ...rest } : rest, text);
    if (node.$ref !== undefined || node.allOf !== undefined) return visit(node, path) as Node;
  }
  const unknown = Object.keys(node).filter((keyword) => !isKnown(keyword, node));
  const silent = unknown.filter((keyword) => keyword === 'additionalProperties' && !isRecord(node[keyword]));
  const { node: described, moved } = describe(without(node, silent), unknown);
  if (moved.length > 0) report.add(path, 'keyword-described', `${moved.join(', ')} became text in the description.`);
  return types(complete(mapSubschemas(described, path, visit), path, report), path, report);
}

/** Alternatives that only say which properties beside them are required have no form. */
function withoutRequiring(node: Node, path: string, report: Report): Node {
  const { anyOf } = node;
  const isRequiring = (one: unknown): boolean =>
    isRecord(one) &&
    Array.isArray(one.required) &&
    Object.keys(one).every((key) => key === 'required' || isAnnotation(key));
  if (!Array.isArray(anyOf) || !anyOf.some(isRequiring)) return node;
  report.add(below(path, 'anyOf'), 'keyword-described', 'anyOf became text in the description.');
  return describe(node, ['anyOf']).node;
}

/** An array has `items`, an `enum` is one of texts, and only properties that exist are required. */
function complete(node: Node, path: string, report: Report): Node {
  const { properties, required, items } = node;
  const isArray = typesOf(node)?.includes('array') === true;
  const completed = {
    ...(node.enum !== undefined && { type: 'string' }),
    ...node,
    ...(isArray && !isRecord(items) && { items: {} }),
  };
  if (!Array.isArray(required)) return completed;
  const defined = required.filter((name: unknown) => isRecord(properties) && Object.hasOwn(properties, String(name)));
  if (defined.length === required.length) return completed;
  report.add(below(path, 'required'), 'keyword-removed', 'A required name without a property became optional.');
  return { ...without(completed, ['required']), ...(defined.length > 0 && { required: defined }) };
}

const isKnown = (keyword: string, node: Node): boolean => {
  if (keyword === 'format') return formats.has(node.format);
  if (keyword === 'enum') return isTextEnum(node);
  return known.has(keyword) && !testing.includes(keyword);
};

/** An `enum` is one of texts that are not empty. */
function isTextEnum({ enum: values, type, anyOf }: Node): boolean {
  const isText = type === undefined ? anyOf === undefined : typesOf({ type })?.includes('string') === true;
  return isText && Array.isArray(values) && values.every((one) => typeof one === 'string' && one !== '');
}

/** A constant text is an `enum` of one. */
function constants(node: Node, path: string, report: Report): Node {
  if (typeof node.const !== 'string' || node.enum !== undefined) return node;
  report.add(below(path, 'const'), 'keyword-replaced', '"const" became "enum".');
  return { type: 'string', ...without(node, ['const']), enum: [node.const] };
}

/** One type for each schema. */
function types(node: Node, path: string, report: Report): Node {
  if (!Array.isArray(node.type)) return node;
  const listed = typesOf(node) ?? [];
  report.add(below(path, 'type'), 'keyword-replaced', 'A list of types became "anyOf".');
  if (listed.length === 1) return { ...node, type: listed[0] };
  const { type: _, title, description, default: preset, anyOf, ...rest } = node;
  const outer = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
  };
  const branches = listed.map((type) => ({ ...only(rest, type), type }));
  // Both a list of types and alternatives: the alternatives are the narrower ones.
  return { ...outer, anyOf: anyOf === undefined ? branches : anyOf };
}

const keywordsOf: Readonly<Record<string, readonly string[]>> = {
  array: ['items', 'maxItems', 'minItems'],
  integer: ['maximum', 'minimum', 'format'],
  number: ['maximum', 'minimum', 'format'],
  object: ['maxProperties', 'minProperties', 'properties', 'propertyOrdering', 'required'],
  string: ['enum', 'format', 'maxLength', 'minLength', 'pattern'],
};

/** What is about values of one type. An `enum` has texts only, so that it accepts no other type. */
const only = (node: Node, type: unknown): Node =>
  Object.fromEntries(Object.entries(node).filter(([keyword]) => keywordsOf[String(type)]?.includes(keyword)));
