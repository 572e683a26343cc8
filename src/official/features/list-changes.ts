/** What differs between the lists of an instance, and how the lists that all callers share follow it. */
import type { GuardedFeature } from '../../ports/guard.ts';
import type { ListChange } from '../../server/ports/change-notifications.ts';
import type { Server } from '../../server/server.ts';
import { type BridgedFeatures, isSameDefinition } from './features.ts';

const kinds = [
  'tools',
  'resources',
  'resourceTemplates',
  'prompts',
] as const satisfies readonly (keyof BridgedFeatures)[];

type Definitions = Record<string, unknown>;

/** The lists that differ, and in what. */
export function changesBetween(before: BridgedFeatures, after: BridgedFeatures): ListChange[] {
  const changed = (kind: (typeof kinds)[number], featureOf: (name: string) => GuardedFeature): GuardedFeature[] => {
    const [one, other]: Definitions[] = [before[kind], after[kind]];
    const names = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})]);
    return [...names]
      .filter((name) => !isSameDefinition(one?.[name] as object, other?.[name] as object))
      .map(featureOf);
  };
  const resources = [
    ...changed('resources', (resource) => ({ resource })),
    ...changed('resourceTemplates', (template) => ({ template })),
  ];
  const lists: ListChange[] = [
    { kind: 'tools', changed: changed('tools', (tool) => ({ tool })) },
    { kind: 'resources', changed: resources },
    { kind: 'prompts', changed: changed('prompts', (prompt) => ({ prompt })) },
  ];
  return lists.filter(({ changed: features = [] }) => features.length > 0);
}

/** Definitions that the owner of the server has added or changed stay, unless the instance changes them. */
export function replaceLists(server: Pick<Server, 'update'>, before: BridgedFeatures, after: BridgedFeatures): void {
  server.update((draft) => {
    for (const kind of kinds) replaceAll(draft[kind] as Definitions, before[kind], after[kind]);
  });
}

function replaceAll(draft: Definitions, served: Readonly<Definitions>, next: Readonly<Definitions>): void {
  for (const name of Object.keys(served)) if (!Object.hasOwn(next, name)) delete draft[name];
  for (const [name, definition] of Object.entries(next)) if (served[name] !== definition) draft[name] = definition;
}
