/** Makes two snapshots comparable: removes fields from both that the older protocol version does not have. */

import { isRecord } from '../../lib/values/is.ts';
import type { Revision } from '../../protocol/revision.ts';
import { findRevision } from '../../protocol/revisions/revisions.ts';
import type { ServerSnapshot } from '../snapshot.ts';

export interface Both {
  readonly before: ServerSnapshot;
  readonly after: ServerSnapshot;
}

export function comparable(before: ServerSnapshot, after: ServerSnapshot): Both {
  if (before.protocolVersion === after.protocolVersion) return { before, after };
  const [older] = [before.protocolVersion, after.protocolVersion].sort();
  const revision = findRevision(older);
  return revision === undefined
    ? { before, after }
    : { before: fitted(before, revision), after: fitted(after, revision) };
}

const lists = {
  tools: ['tools/list', 'tools'],
  resources: ['resources/list', 'resources'],
  templates: ['resources/templates/list', 'resourceTemplates'],
  prompts: ['prompts/list', 'prompts'],
} as const;

function fitted(snapshot: ServerSnapshot, revision: Revision): ServerSnapshot {
  const fitList = ([name, [method, key]]: readonly [string, readonly [string, string]]): [string, unknown] => {
    const result = { [key]: snapshot[name as keyof typeof lists] };
    return [name, (revision.fitting.results.get(method)?.(result) ?? result)[key]];
  };
  const common = Object.entries(snapshot.capabilities).filter(
    ([name, value]) => isCommon(name, revision) && isRecord(value),
  );
  return {
    ...snapshot,
    ...Object.fromEntries(Object.entries(lists).map(fitList)),
    capabilities: Object.fromEntries(common),
  };
}

/** Other capabilities were added or removed by a protocol version. */
const isCommon = (capability: string, { declaresCompletions }: Revision): boolean =>
  ['tools', 'resources', 'prompts', 'logging'].includes(capability) ||
  (capability === 'completions' && declaresCompletions);
