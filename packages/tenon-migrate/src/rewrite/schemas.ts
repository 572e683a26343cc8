/** Schemas of arguments and results: raw shapes become `z.object(…)`, and `X.shape` becomes `X`. */
import type { Node } from 'oxc-parser';
import { moduleOf, sdkName } from '../sdk.ts';
import { bare, follow, keyOf, type Place, type ProjectFile, type PropertyNode } from '../syntax/project.ts';
import type { FileChanges } from './changes.ts';

type ObjectNode = Extract<Node, { type: 'ObjectExpression' }>;

/** Rewrites the value of a property such as `inputSchema`, where it is written, and puts completions behind it. */
export function rewriteSchemaOf(changes: FileChanges, property: PropertyNode): void {
  if (changes.handled.has(property)) return;
  changes.handled.add(property);
  const prefix = property.shorthand ? `${changes.textOf(property.key)}: ` : '';
  changes.wrap(property, '', rewriteSchema(changes, property.value, prefix));
}

/** Rewrites a schema; `prefix` is written before one that is changed. Returns its completions, as a property. */
export function rewriteSchema(changes: FileChanges, expression: Node, prefix = ''): string {
  const node = bare(expression);
  if (isUndefined(node)) return '';
  if (node.type === 'MemberExpression' && isShape(node)) {
    changes.text.remove(node.object.end, node.end);
    return '';
  }
  const { file, node: value } = follow(changes.project, { file: changes.file, node });
  if (value.type === 'ObjectExpression' || isShape(value)) {
    changes.wrap(node, `${prefix}${changes.need('z')}.object(`, ')');
    // Types around a raw shape are not those of a schema.
    if (expression.end > node.end) changes.text.remove(node.end, expression.end);
    return value.type === 'ObjectExpression' ? completionsOf(changes, { file, node: value }) : '';
  }
  if (!isSchemaCall({ file, node: value })) {
    changes.report(
      expression,
      `\`${short(changes.textOf(expression))}\` could not be followed: it must be a schema, not a raw shape`,
      'what-tenon-migrate-reports',
    );
  }
  return '';
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

/** `completable(schema, callback)` becomes the schema; the callbacks are returned as `complete: { name: callback }`. */
function completionsOf(
  changes: FileChanges,
  { file, node }: { readonly file: ProjectFile; readonly node: ObjectNode },
): string {
  const callbacks: string[] = [];
  for (const property of node.properties) {
    if (property.type !== 'Property') continue;
    const key = changes.file === file ? changes.textOf(property.key) : (keyOf(property) ?? '');
    const call = bare(property.value);
    const isHere =
      file === changes.file && call.type === 'CallExpression' && sdkName(file, call.callee) === 'completable';
    const [schema, callback] = isHere ? call.arguments : [];
    if (schema !== undefined && callback !== undefined && isHere) {
      callbacks.push(`${key}: ${changes.textOf(callback)}`);
      if (changes.handled.has(property)) continue;
      changes.replace(call.start, schema.start, changes.commentsIn(call.start, schema.start));
      changes.replace(schema.end, call.end, '');
    } else if (isCompletable(changes, file, property)) {
      const what = `the callback of \`completable\` for \`${key}\` belongs into \`complete: { ${key}: callback }\` of the prompt`;
      changes.report(file === changes.file ? property : node, what, 'the-server-with-tenon');
    }
    changes.handled.add(property);
  }
  return callbacks.length === 0 ? '' : `, complete: { ${callbacks.join(', ')} }`;
}

function isCompletable(changes: FileChanges, file: ProjectFile, property: PropertyNode): boolean {
  if (changes.handled.has(property)) return false;
  const value = follow(changes.project, { file, node: property.value });
  return value.node.type === 'CallExpression' && sdkName(value.file, value.node.callee) === 'completable';
}

/** One line of code, cut for a report. */
export function short(code: string, most = 60): string {
  const line = code.replace(/\s+/g, ' ');
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
