/** What a snapshot has, by name: a capture has many calls, and a server may list many items. */
import type { Prompt } from '../protocol/generated/types/records.ts';
import { matcherOf } from './compare/resources.ts';
import type { ServerSnapshot } from './snapshot.ts';

export interface SnapshotIndex {
  readonly protocolVersions: readonly string[] | undefined;
  readonly tools: ReadonlySet<string>;
  readonly prompts: ReadonlyMap<string, Prompt>;
  readonly templates: ReadonlySet<string>;
  /** Whether a resource or a template has it. */
  hasResource(uri: string): boolean;
}

export function indexOf({ protocolVersions, tools, prompts, resources, templates }: ServerSnapshot): SnapshotIndex {
  const uris = new Set(resources.map(({ uri }) => uri));
  const uriTemplates = new Set(templates.map(({ uriTemplate }) => uriTemplate));
  /** Made when the first URI needs them, and once each. */
  let matchers: readonly ReturnType<typeof matcherOf>[] | undefined;
  const known = new Map<string, boolean>();
  return {
    protocolVersions,
    tools: new Set(tools.map(({ name }) => name)),
    // The first of a name counts.
    prompts: new Map(prompts.toReversed().map((prompt) => [prompt.name, prompt])),
    templates: uriTemplates,
    hasResource(uri) {
      if (uris.has(uri)) return true;
      const found = known.get(uri);
      if (found !== undefined) return found;
      matchers ??= [...uriTemplates].map(matcherOf);
      const isMatched = matchers.some((match) => match?.(uri) !== undefined);
      known.set(uri, isMatched);
      return isMatched;
    },
  };
}
