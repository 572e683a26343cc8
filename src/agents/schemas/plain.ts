/** For every target: forms of older drafts are written as 2020-12, and references that lead nowhere are removed. */
import { isRecord } from '../../lib/values/is.ts';
import {
  below,
  describe,
  isAnnotation,
  mapSubschemas,
  mapValues,
  type Node,
  resolve,
  typesOf,
  withNote,
  without,
} from './nodes.ts';
import type { Report } from './report.ts';

/** Keywords that identify a schema: after lowering it is another one. */
const identity: readonly string[] = ['$schema', '$id', '$comment', '$vocabulary'];

export function toPlain(root: Node, report: Report): Node {
  // In draft-07 and before, a reference hides what is beside it.
  const hides = typeof root.$schema === 'string' && /draft-0[3-7]/.test(root.$schema);
  const visit = (schema: unknown, path: string): unknown => {
    if (schema === true) return keepsBooleans(path) ? true : {};
    if (!isRecord(schema)) return schema;
    let node: Node = without(schema, identity);
    node = unresolved(hides ? withoutHidden(node) : node, path, root, report);
    node = withItems(tuples(numbers(node), path, report), path, report);
    if (typeof node.required === 'boolean') {
      report.add(below(path, 'required'), 'keyword-removed', 'A boolean "required" of draft-03 is ignored.');
      node = without(node, ['required']);
    }
    return mapSubschemas(withObjects(patterns(node, path, report)), path, visit);
  };
  return visit(root, '') as Node;
}

/** Where providers accept `true`. */
const keepsBooleans = (path: string): boolean => /\/(?:additional|unevaluated)(?:Properties|Items)$/.test(path);

const withoutHidden = (node: Node): Node =>
  node.$ref === undefined
    ? node
    : Object.fromEntries(Object.entries(node).filter(([keyword]) => keyword === '$ref' || isAnnotation(keyword)));

function unresolved(node: Node, path: string, root: Node, report: Report): Node {
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const reference = node[keyword];
    if (reference === undefined || (keyword === '$ref' && resolve(root, reference) !== undefined)) continue;
    report.add(below(path, keyword), 'reference-removed', `The reference ${shown(reference)} is not in the schema.`);
    return withNote(without(node, [keyword]), `as in ${shown(reference)}`);
  }
  return node;
}

const shown = (reference: unknown): string => String(reference).slice(0, 100);

/** `exclusiveMinimum: true` of draft-04 is a number since draft-06. */
function numbers(node: Node): Node {
  const changed: Record<string, unknown> = { ...node };
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof node[exclusive] !== 'boolean') continue;
    delete changed[exclusive];
    if (node[exclusive] !== true || typeof node[bound] !== 'number') continue;
    delete changed[bound];
    changed[exclusive] = node[bound];
  }
  return changed;
}

/** A list in `items` is `prefixItems` since 2020-12. */
function tuples(node: Node, path: string, report: Report): Node {
  const { items, additionalItems, ...rest } = node;
  if (!Array.isArray(items)) return additionalItems === undefined ? node : without(node, ['additionalItems']);
  report.add(below(path, 'items'), 'keyword-replaced', 'A list in "items" became "prefixItems".');
  return { ...rest, prefixItems: items, ...(additionalItems !== undefined && { items: additionalItems }) };
}

/** OpenAI and Gemini refuse an array that does not say what is in it. Where something depends on that, it is left alone. */
function withItems(node: Node, path: string, report: Report): Node {
  const { items, unevaluatedItems } = node;
  if (items !== undefined || unevaluatedItems !== undefined || typesOf(node)?.includes('array') !== true) return node;
  report.add(path, 'keyword-added', 'An array without "items" became one of any items.');
  return { ...node, items: {} };
}

/** A provider refuses a pattern that cannot be read; here every text fits it then. */
function patterns(node: Node, path: string, report: Report): Node {
  if (typeof node.pattern !== 'string' || isPattern(node.pattern)) return node;
  const { node: described } = describe(node, ['pattern']);
  report.add(below(path, 'pattern'), 'keyword-described', 'The pattern is not a regular expression.');
  return described;
}

function isPattern(text: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      return new RegExp(text, flags).flags === flags;
    } catch {
      return false;
    }
  });
}

/** A property that must be absent: providers take no `false` there. */
function withObjects(node: Node): Node {
  const { properties } = node;
  if (!isRecord(properties) || !Object.values(properties).includes(false)) return node;
  return { ...node, properties: mapValues(properties, (schema) => (schema === false ? { not: {} } : schema)) };
}
