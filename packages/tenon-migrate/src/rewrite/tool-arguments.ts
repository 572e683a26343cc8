/** The arguments of the short form `server.tool(name, …)`: which of them is a shape, and which is annotations. */
import type { Node } from 'oxc-parser';
import { follow, keyOf } from '../syntax/project.ts';
import type { FileChanges } from './changes.ts';
import { rewriteSchema } from './schemas.ts';

const annotations = new Set(['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']);

/** Whether an argument is annotations: an object whose keys are theirs, with plain values. */
export function isAnnotations(changes: FileChanges, node: Node): boolean {
  const value = follow(changes.project, { file: changes.file, node }).node;
  if (value.type !== 'ObjectExpression' || value.properties.length === 0) return false;
  return value.properties.every(
    (one) => one.type === 'Property' && annotations.has(keyOf(one) ?? '') && one.value.type === 'Literal',
  );
}

/** Rewrites a shape that is an argument of its own. */
export function rewriteShape(changes: FileChanges, node: Node): void {
  changes.wrap(node, '', rewriteSchema(changes, node));
}
