/** For OpenAI: `oneOf` becomes `anyOf`, and keywords that could refuse more than before become text. */
import { isRecord } from '../../lib/values/is.ts';
import { below, describe, mapSubschemas, type Node, without } from './nodes.ts';
import type { Report } from './report.ts';

/** They refuse what a schema inside them accepts, so that making that wider would make these narrower. */
export const testing: readonly string[] = [
  'not',
  'if',
  'then',
  'else',
  'contains',
  'minContains',
  'maxContains',
  'unevaluatedItems',
  'unevaluatedProperties',
];

export function toOpenAI(root: Node, report: Report): Node {
  const visit = (schema: unknown, path: string): unknown => {
    if (!isRecord(schema)) return schema;
    // What must be absent has no form, and the server still refuses it.
    if (isImpossible(schema)) return undefined;
    const { node, moved } = describe(schema, testing);
    if (moved.length > 0) report.add(path, 'keyword-described', `${moved.join(', ')} became text in the description.`);
    return mapSubschemas(withoutOneOf(node, path, report), path, visit);
  };
  return visit(root, '') as Node;
}

export const isImpossible = (node: Node): boolean =>
  isRecord(node.not) && Object.keys(node.not).length === 0 && Object.keys(node).length === 1;

export function withoutOneOf(node: Node, path: string, report: Report): Node {
  const { oneOf } = node;
  if (oneOf === undefined) return node;
  report.add(below(path, 'oneOf'), 'keyword-replaced', '"oneOf" became "anyOf".');
  const rest = without(node, ['oneOf']);
  if (rest.anyOf === undefined) return { ...rest, anyOf: oneOf };
  const all = Array.isArray(rest.allOf) ? rest.allOf : [];
  return { ...rest, allOf: [...all, { anyOf: oneOf }] };
}
