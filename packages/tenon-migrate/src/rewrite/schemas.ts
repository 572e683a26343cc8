/** Schemas of arguments and results: raw shapes become `z.object(…)`, and `X.shape` becomes `X`. */
import type { Node } from 'oxc-parser';
import { moduleOf, sdkName } from '../sdk.ts';
import { bare, follow, keyOf, type Place, type ProjectFile, type PropertyNode } from '../syntax/project.ts';
import type { FileChanges } from './changes.ts';

type ObjectNode = Extract<Node, { type: 'ObjectExpression' }>;

/** Rewrites the value of a property such as `inputSchema`, where it is written. */
export function rewriteSchemaOf(changes: FileChanges, property: PropertyNode): void {
  if (changes.handled.has(property)) return;
  changes.handled.add(property);
  const prefix = property.shorthand ? `${changes.textOf(property.key)}: ` : '';
  rewriteSchema(changes, property.value, prefix);
}

/** Rewrites a schema; `prefix` is written before one that is changed. */
export function rewriteSchema(changes: FileChanges, expression: Node, prefix = ''): void {
  const node = bare(expression);
  const place = { file: changes.file, node };
  if (node.type === 'MemberExpression' && isShape(node)) {
    changes.text.remove(node.object.end, node.end);
    return;
  }
  const { file, node: value } = follow(changes.project, place);
  if (isUndefined(node)) return;
  if (value.type === 'ObjectExpression' || isShape(value)) {
    // `as const` and types around a raw shape are of no use around a schema.
    changes.wrap(node, `${prefix}${changes.need('z')}.object(`, ')');
    if (expression.end > node.end) changes.text.remove(node.end, expression.end);
    if (value.type === 'ObjectExpression') checkShape(changes, { file, node: value });
    return;
  }
  if (!isSchemaCall({ file, node: value })) {
    changes.report(
      expression,
      `\`${short(changes.textOf(expression))}\` could not be followed: it must be a schema, not a raw shape`,
      'what-tenon-migrate-reports',
    );
  }
}

export const isUndefined = (node: Node): boolean => node.type === 'Identifier' && node.name === 'undefined';

const isShape = (node: Node): boolean =>
  node.type === 'MemberExpression' && node.property.type === 'Identifier' && node.property.name === 'shape';

/** A call whose first name is an import of a schema library, such as `z.object({}).strict()`, or a schema that was followed. */
function isSchemaCall({ file, node }: Place): boolean {
  let root: Node = node;
  while (true) {
    if (root.type === 'CallExpression') root = bare(root.callee);
    else if (root.type === 'MemberExpression') root = bare(root.object);
    else break;
  }
  if (root.type !== 'Identifier' || root === node) return false;
  const binding = file.scopes.resolve(root);
  if (binding === undefined) return false;
  const from = moduleOf(file, binding);
  if (from === undefined) return binding.kind === 'variable';
  return /^(?:zod|valibot|arktype)(?:\/|$)/.test(from) || sdkName(file, root) === 'fromJsonSchema';
}

/** Completions that are written around a schema are beside it in Tenon. */
function checkShape(
  changes: FileChanges,
  { file, node }: { readonly file: ProjectFile; readonly node: ObjectNode },
): void {
  for (const property of node.properties) {
    if (property.type !== 'Property' || changes.handled.has(property)) continue;
    const value = follow(changes.project, { file, node: property.value });
    if (value.node.type !== 'CallExpression' || sdkName(value.file, value.node.callee) !== 'completable') continue;
    const place = file === changes.file ? property : node;
    changes.handled.add(property);
    changes.report(
      place,
      `\`completable\` of \`${keyOf(property)}\`: write its callback as \`complete: { ${keyOf(property)}: callback }\` of the prompt`,
      'the-server-with-tenon',
    );
  }
}

/** One line of code, cut for a report. */
export function short(code: string, most = 60): string {
  const line = code.replace(/\s+/g, ' ');
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
