/** Which changes a caller is notified of: it learns nothing of features that it may not see. */

import type { GuardedCaller } from '../../ports/guard.ts';
import type { Change } from '../ports/change-notifications.ts';
import { resourceFeature } from '../registry/registry.ts';
import { visibleRegistry } from '../registry/visible-registry.ts';
import type { Serving } from './serving.ts';

type GuardedChange = Exclude<Change, { kind: 'notification' | 'log' | 'task' | 'all' }>;

/** A caller that is not known is not notified. */
export function reaches(
  { guard, registry }: Pick<Serving, 'guard' | 'registry'>,
  caller: GuardedCaller | undefined,
  change: GuardedChange,
): boolean {
  if (guard === undefined) return true;
  if (caller === undefined) return false;
  if (change.kind !== 'resource') return change.changed?.some((feature) => guard.sees(caller, feature)) ?? true;
  const { uri } = change;
  return guard.notifies(caller, resourceFeature(visibleRegistry(registry(), guard, caller), uri) ?? { resource: uri });
}
