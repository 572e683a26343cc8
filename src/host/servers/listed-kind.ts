/** What servers list, by the words that policies and locks have for it. */
import type { ListedKind } from '../../ports/lock.ts';

const nameFields = { tool: 'name', prompt: 'name', resource: 'uri', template: 'uriTemplate' } as const;

/** What names an item of a list. */
export const ownNameOf = (kind: ListedKind, item: unknown): string =>
  (item as Readonly<Record<string, string>>)[nameFields[kind]] as string;

/** The capability of a server that has such a list. */
export const capabilities = {
  tool: 'tools',
  prompt: 'prompts',
  resource: 'resources',
  template: 'resources',
} as const satisfies Record<ListedKind, string>;
