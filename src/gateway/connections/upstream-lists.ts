/** Reads the lists of an upstream, each with all its pages. */
import type { Client } from '../../client/api/client.ts';
import type { PaginatedList } from '../../client/api/listing.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { jsonWeight } from '../../lib/values/json-weight.ts';
import type { ListedKind } from '../../ports/lock.ts';

/** The lists of an upstream, as it sent them. */
export type UpstreamLists = Readonly<Record<ListedKind, readonly Fields[]>>;

export const listedKinds: readonly ListedKind[] = ['tool', 'prompt', 'resource', 'template'];

/**
 * Characters of the lists of an upstream together, as JSON. Each object and array in them counts for 32 more.
 * @limit gateway
 * @beyond the upstream cannot be used
 * @code list-too-long
 */
export const maxListsChars = 16 * 1024 * 1024;

/**
 * The same of all lists of an upstream that are being read at the moment, each for another owner.
 * @limit gateway
 * @beyond the list that does not fit fails, and can be read again
 * @code list-too-long
 */
const maxReadingChars = 48 * 1024 * 1024;

/** Reads the lists of one upstream over its connections. What they hold meanwhile is bounded together. */
export class ListReader {
  #chars = 0;

  /** All pages of one list; an empty one where the upstream has none. */
  async read(client: Client, kind: ListedKind, signal: AbortSignal): Promise<readonly Fields[]> {
    return (await this.#read(client, [kind], signal))[0] ?? [];
  }

  async readAll(client: Client, signal: AbortSignal): Promise<UpstreamLists> {
    const lists = await this.#read(client, listedKinds, signal);
    return Object.fromEntries(listedKinds.map((kind, at) => [kind, lists[at] ?? []])) as unknown as UpstreamLists;
  }

  async #read(client: Client, kinds: readonly ListedKind[], signal: AbortSignal): Promise<(readonly Fields[])[]> {
    let own = 0;
    const add = (page: readonly unknown[]): void => {
      const chars = jsonWeight(page);
      own += chars;
      this.#chars += chars;
      if (own > maxListsChars) throw tooLong(`The lists have more than ${maxListsChars} characters.`);
      if (this.#chars > maxReadingChars) throw tooLong('Too many long lists are being read.');
    };
    const reading = kinds.map((kind) => readList(client, kind, signal, add));
    try {
      return await Promise.all(reading);
    } finally {
      await Promise.allSettled(reading);
      this.#chars -= own;
    }
  }
}

const tooLong = (text: string): TenonError => new TenonError('list-too-long', text);

async function readList(
  client: Client,
  kind: ListedKind,
  signal: AbortSignal,
  add: (page: readonly unknown[]) => void,
): Promise<readonly Fields[]> {
  const { tools, prompts, resources } = client.capabilities;
  const options = { signal };
  const all = async (isDeclared: boolean, list: () => PaginatedList<object>): Promise<readonly Fields[]> => {
    const found: Fields[] = [];
    if (!isDeclared) return found;
    for await (const page of list().pages()) {
      add(page);
      for (const item of page) found.push(item as Fields);
    }
    return found;
  };
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

/** A server may have resources, and no method for templates. */
function withoutTemplates(error: unknown): readonly Fields[] {
  if ((error as { readonly code?: unknown }).code === -32601) return [];
  throw error;
}
