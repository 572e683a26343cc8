/** Leaves out of the lists what the policy does not show. */
import type { Permissions } from '../permissions/permissions.ts';
import type { ListedKind, ScreenItems } from './lists.ts';

const nameFields = { tool: 'name', prompt: 'name', resource: 'uri', template: 'uriTemplate' } as const;

/** What names an item of a list. */
export const ownNameOf = (kind: ListedKind, item: unknown): string =>
  (item as Readonly<Record<string, string>>)[nameFields[kind]] as string;

export const createScreen =
  (permissions: Permissions): ScreenItems =>
  async (kind, server, items) => {
    await permissions.ready();
    return items.filter((item) => permissions.effect('list', { server, [kind]: ownNameOf(kind, item) }) !== 'deny');
  };
