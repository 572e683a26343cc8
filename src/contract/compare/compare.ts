/** Compares two snapshots: lists every change with its effect on callers. */
import type { ServerSnapshot } from '../snapshot.ts';
import { type ContractComparison, effects, worstOf } from './change.ts';
import { promptChanges } from './prompts.ts';
import { resourceChanges, templateChanges } from './resources.ts';
import { serverChanges } from './server.ts';
import { toolChanges } from './tools.ts';
import { comparable } from './versions.ts';

/**
 * Compares two snapshots of a server. Inputs may only take more, and outputs may only become less.
 *
 * @example
 * ```ts
 * const { effect, changes } = compareSnapshots(before, after);
 * for (const { effect, name, text, callers } of changes) console.log(effect, name, text, callers);
 * ```
 */
export function compareSnapshots(before: ServerSnapshot, after: ServerSnapshot): ContractComparison {
  const both = comparable(before, after);
  const changes = [
    ...serverChanges(both),
    ...toolChanges(both),
    ...promptChanges(both),
    ...resourceChanges(both),
    ...templateChanges(both),
  ].sort((one, other) => effects.indexOf(one.effect) - effects.indexOf(other.effect));
  return { effect: worstOf(changes.map(({ effect }) => effect)), changes };
}
