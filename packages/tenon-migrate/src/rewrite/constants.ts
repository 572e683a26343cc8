/** Constants whose value has moved to where they were used. */
import type { Node } from 'oxc-parser';
import { bare } from '../syntax/project.ts';
import type { FileChanges } from './changes.ts';

/** Removes the statement of a constant that is used only here. */
export function removeConstant(changes: FileChanges, use: Node): void {
  const { source, scopes } = changes.file;
  const binding = use.type === 'Identifier' ? scopes.resolve(use) : undefined;
  const statement = binding && source.parentOf(binding.node);
  if (binding?.references.length !== 1 || statement?.type !== 'VariableDeclaration') return;
  if (statement.declarations.length !== 1) return;
  const before = /[ \t]*$/.exec(source.text.slice(0, statement.start))?.[0].length ?? 0;
  const after = /^[ \t]*\r?\n/.exec(source.text.slice(statement.end))?.[0].length ?? 0;
  if (binding.node.type === 'VariableDeclarator' && binding.node.init) changes.handled.add(bare(binding.node.init));
  changes.text.remove(statement.start - (after > 0 ? before : 0), statement.end + after);
}
