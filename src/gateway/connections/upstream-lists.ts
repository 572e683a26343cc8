/** Reads the lists of an upstream, each with all its pages. */
import type { Client } from '../../client/api/client.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { ListedKind } from '../../ports/lock.ts';

/** The lists of an upstream, as it sent them. */
export type UpstreamLists = Readonly<Record<ListedKind, readonly Fields[]>>;

export const listedKinds: readonly ListedKind[] = ['tool', 'prompt', 'resource', 'template'];

/** All pages of one list; an empty one where the upstream has none. */
export async function readList(client: Client, kind: ListedKind, signal: AbortSignal): Promise<readonly Fields[]> {
  const { tools, prompts, resources } = client.capabilities;
  const options = { signal };
  const all = async (isDeclared: boolean, list: () => { all(): Promise<unknown> }): Promise<readonly Fields[]> =>
    isDeclared ? ((await list().all()) as readonly Fields[]) : [];
  switch (kind) {
    case 'tool':
      return all(tools !== undefined, () => client.tools.list(options));
    case 'prompt':
      return all(prompts !== undefined, () => client.prompts.list(options));
    case 'resource':
      return all(resources !== undefined, () => client.resources.list(options));
    case 'template':
      return all(resources !== undefined, () => client.resources.listTemplates(options)).catch(withoutTemplates);
  }
}

export async function readLists(client: Client, signal: AbortSignal): Promise<UpstreamLists> {
  const lists = await Promise.all(listedKinds.map((kind) => readList(client, kind, signal)));
  return Object.fromEntries(listedKinds.map((kind, at) => [kind, lists[at] ?? []])) as unknown as UpstreamLists;
}

/** A server may have resources, and no method for templates. */
function withoutTemplates(error: unknown): readonly Fields[] {
  if ((error as { readonly code?: unknown }).code === -32601) return [];
  throw error;
}
