/** The lists of an upstream, read once with all their pages. Equal ones are one object. */
import { createHash } from 'node:crypto';
import type { Client } from '../../client/api/client.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { ListedKind } from '../../ports/lock.ts';
import type { ServerCapabilities } from '../../protocol/generated/types/records.ts';

export interface Catalogue {
  readonly tools: readonly Fields[];
  readonly resources: readonly Fields[];
  readonly templates: readonly Fields[];
  readonly prompts: readonly Fields[];
  /** Whether the upstream completes arguments. */
  readonly completes: boolean;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  /** Equal for equal ones. */
  readonly digest: string;
}

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

export function catalogueOf(
  { capabilities }: Pick<Client, 'capabilities'>,
  { tool, prompt, resource, template }: UpstreamLists,
  instructions: string | undefined,
): Catalogue {
  const read = {
    tools: tool,
    resources: resource,
    templates: template,
    prompts: prompt,
    completes: capabilities.completions !== undefined,
    capabilities,
    instructions,
  };
  const digest = createHash('sha256').update(canonicalJson(read)).digest('base64url');
  return Object.freeze({ ...read, digest });
}

/** A server may have resources, and no method for templates. */
function withoutTemplates(error: unknown): readonly Fields[] {
  if ((error as { readonly code?: unknown }).code === -32601) return [];
  throw error;
}

/** Catalogues of one upstream that are remembered: most owners have the same. */
const maxRemembered = 64;

/** Returns the same object for equal catalogues, so that what is made of one is made once. */
export class EqualCatalogues {
  readonly #known = new Map<string, Catalogue>();

  same(catalogue: Catalogue): Catalogue {
    const known = this.#known.get(catalogue.digest) ?? catalogue;
    this.#known.delete(catalogue.digest);
    this.#known.set(catalogue.digest, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxRemembered && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }
}
