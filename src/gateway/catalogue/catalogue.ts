/** The lists of an upstream, read once with all their pages. Equal ones are one object. */
import { createHash } from 'node:crypto';
import type { Client } from '../../client/api/client.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { Fields } from '../../lib/values/is.ts';
import { jsonWeight } from '../../lib/values/json-weight.ts';
import type { ServerCapabilities } from '../../protocol/generated/types/records.ts';
import type { CallableTool, Compiled, CompiledPrompt, CompiledTemplate } from '../../server/definition/compiled.ts';
import type { Invocation } from '../../server/features/invocation.ts';
import { listedKinds, maxListsChars, type UpstreamLists } from '../connections/upstream-lists.ts';
import { HeldLists } from './held-lists.ts';

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
  /** About as many characters as it holds. */
  readonly weight: number;
  /** Characters of the longest item, or more. */
  readonly longest: number;
}

/** What is made of one: features that the kernel can call, by the names of callers. */
export interface UpstreamFeatures {
  readonly catalogue: Catalogue;
  /** Whether a tool runs as a task. */
  readonly hasTasks: boolean;
  readonly tools: ReadonlyMap<string, CallableTool<Invocation>>;
  readonly resources: ReadonlyMap<string, Compiled<Invocation>>;
  readonly templates: ReadonlyMap<string, CompiledTemplate<Invocation>>;
  readonly prompts: ReadonlyMap<string, CompiledPrompt<Invocation>>;
}

/**
 * Characters of one item of a list of an upstream, as JSON.
 * @limit gateway
 * @beyond it is not served
 */
export const maxItemChars = 1024 * 1024;

/** Shorter lists fit into a message, whatever their items are. */
const shortChars = 256 * 1024;

/** What is made of an item holds about as much as this many characters. */
const charsOfItem = 1000;

export function catalogueOf(
  { capabilities }: Pick<Client, 'capabilities'>,
  lists: UpstreamLists,
  instructions: string | undefined,
): Catalogue {
  const read = {
    tools: lists.tool,
    resources: lists.resource,
    templates: lists.template,
    prompts: lists.prompt,
    completes: capabilities.completions !== undefined,
    capabilities,
    instructions,
  };
  const all = listedKinds.map((kind) => lists[kind]);
  const chars = jsonWeight([all, capabilities, instructions]);
  if (chars > maxListsChars)
    throw new TenonError('list-too-long', `The lists have more than ${maxListsChars} characters.`);
  const text = canonicalJson(read);
  const digest = createHash('sha256').update(text).digest('base64url');
  const weight = chars + charsOfItem * all.reduce((count, { length }) => count + length, 0);
  return Object.freeze({ ...read, digest, weight, longest: longestOf(text, all) });
}

function longestOf({ length }: string, lists: readonly (readonly Fields[])[]): number {
  if (length <= shortChars) return length;
  return lists.flat().reduce((longest, one) => Math.max(longest, JSON.stringify(one).length), 0);
}

/** Catalogues of one upstream that are remembered: most owners have the same. */
const maxRemembered = 64;

/** Returns the same object for equal catalogues, so that what is made of one is made once. */
export class EqualCatalogues {
  readonly #known = new Map<string, Catalogue>();
  readonly #held = new HeldLists();

  same(catalogue: Catalogue): Catalogue {
    const known = this.#known.get(catalogue.digest) ?? catalogue;
    if (!this.#known.delete(catalogue.digest)) this.#held.add(known);
    this.#known.set(catalogue.digest, known);
    for (const [digest, oldest] of this.#known) {
      if (this.#known.size <= maxRemembered && !this.#held.isFull) break;
      this.#known.delete(digest);
      this.#held.remove(oldest);
    }
    return known;
  }
}
