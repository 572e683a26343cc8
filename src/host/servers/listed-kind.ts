/** The kinds of definitions that servers list, named as in policies and locks. */
import type { ListedKind } from '../../ports/lock.ts';

const nameFields = { tool: 'name', prompt: 'name', resource: 'uri', template: 'uriTemplate' } as const;

/** The name, URI or template of an item of a list. */
export const ownNameOf = (kind: ListedKind, item: unknown): string =>
  (item as Readonly<Record<string, string>>)[nameFields[kind]] as string;

/** The capability of a server that has such a list. */
export const capabilities = {
  tool: 'tools',
  prompt: 'prompts',
  resource: 'resources',
  template: 'resources',
} as const satisfies Record<ListedKind, string>;
