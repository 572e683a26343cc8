/** Which changes a caller is notified of: it learns nothing of features that it may not see. */

import type { Change } from '../ports/change-notifications.ts';
import type { SourceCaller } from '../ports/source-caller.ts';
import { resourceFeature } from '../registry/registry.ts';
import { registryOf, type Serving } from './serving.ts';

type GuardedChange = Exclude<Change, { kind: 'notification' | 'log' | 'task' | 'all' }>;

/** A caller that is not known is not notified. */
export function reaches(
  serving: Pick<Serving, 'guard' | 'source' | 'registry'>,
  caller: SourceCaller | undefined,
  change: GuardedChange,
): boolean {
  const { guard } = serving;
  if (guard === undefined) return true;
  if (caller === undefined) return false;
  if (change.kind !== 'resource') return change.changed?.some((feature) => guard.sees(caller, feature)) ?? true;
  const { uri } = change;
  return guard.notifies(caller, resourceFeature(registryOf(serving, caller), uri) ?? { resource: uri });
}
