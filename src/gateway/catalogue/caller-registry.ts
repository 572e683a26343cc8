/** The features of a caller: those of all upstreams together. */
import type { ServerCapabilities } from '../../protocol/generated/types/records.ts';
import type { Registry } from '../../server/registry/registry.ts';
import { maxItemChars, type UpstreamFeatures } from './catalogue.ts';
import type { SearchTools } from './search-tools.ts';

/** The features of one upstream, if they could be read. */
export interface RegistryPart {
  readonly upstream: string;
  /** What its names begin with, before `__`; empty if they stay. */
  readonly prefix: string;
  readonly features: UpstreamFeatures | undefined;
  /** Whether they could not be read. */
  readonly isUnavailable: boolean;
}

/** In the result of a list: the upstreams whose features are not in it. */
const unavailableKey = 'tenon/unavailable';

export function mergedRegistry(
  base: Registry,
  parts: readonly RegistryPart[],
  leftOut: (upstream: string, name: string) => void,
  search?: SearchTools,
): Registry {
  const merge = <T>(own: ReadonlyMap<string, T>, itemsOf: (features: UpstreamFeatures) => ReadonlyMap<string, T>) => {
    const merged = new Map(own);
    for (const { upstream, prefix, features } of parts)
      for (const [name, item] of features === undefined ? [] : itemsOf(features))
        if (merged.has(name) || (prefix === '' && isOfPrefix(name))) leftOut(upstream, name);
        else merged.set(name, item);
    return merged;
  };
  // Policies name tools by prefixes: an upstream without one must not have names that look like those of another.
  const prefixes = new Set(parts.map(({ prefix }) => prefix));
  const isOfPrefix = (name: string): boolean =>
    prefixes.has(name.slice(0, Math.max(0, name.indexOf('__')))) && name.indexOf('__') > 0;
  const unavailable = parts.filter(({ isUnavailable }) => isUnavailable).map(({ upstream }) => upstream);
  const templates = merge(base.templates, (features) => features.templates);
  return {
    ...base,
    capabilities: { ...capabilitiesOf(base, parts), ...(search && { tools: { listChanged: true } }) },
    instructions: base.instructions ?? instructionsOf(parts),
    tools: merge(new Map([...base.tools, ...(search?.tools ?? [])]), ({ tools }) => tools),
    ...(search && { listedTools: search.listed }),
    resources: merge(base.resources, ({ resources }) => resources),
    prompts: merge(base.prompts, ({ prompts }) => prompts),
    templates,
    hasTasks: base.hasTasks || parts.some(({ features }) => features?.hasTasks === true),
    reads: { templates },
    ...pageSizeOf(base, parts),
    ...(unavailable.length > 0 && { listMeta: { [unavailableKey]: unavailable } }),
  };
}

/** Characters of a page of a list, which has to fit into a message. */
const maxPageChars = 3 * 1024 * 1024;

/** The lists of one upstream must not make those of all too long for a message. */
function pageSizeOf({ pageSize }: Registry, parts: readonly RegistryPart[]): { readonly pageSize?: number } {
  const known = parts.flatMap(({ features }) => features?.catalogue ?? []);
  if (known.reduce((all, { weight }) => all + weight, 0) <= maxPageChars) return {};
  const longest = Math.min(maxItemChars, Math.max(...known.map((one) => one.longest)));
  return { pageSize: Math.min(pageSize ?? Number.POSITIVE_INFINITY, Math.max(1, Math.floor(maxPageChars / longest))) };
}

/** Lists change when an upstream changes, or the upstreams do. One that is not known may have every list. */
function capabilitiesOf({ capabilities }: Registry, parts: readonly RegistryPart[]): ServerCapabilities {
  const known = parts.flatMap(({ features }) => (features === undefined ? [] : [features.catalogue.capabilities]));
  const isWhole = known.length === parts.length;
  const some = (has: (one: ServerCapabilities) => unknown): boolean => known.some((one) => has(one) !== undefined);
  const { tools: _, prompts: __, resources: ___, logging: ____, completions: _____, ...others } = capabilities;
  return {
    ...others,
    ...((!isWhole || some(({ tools }) => tools)) && { tools: { listChanged: true } }),
    ...((!isWhole || some(({ prompts }) => prompts)) && { prompts: { listChanged: true } }),
    ...((!isWhole || some(({ resources }) => resources)) && {
      resources: {
        listChanged: true,
        ...((!isWhole || known.some(({ resources }) => resources?.subscribe === true)) && { subscribe: true }),
      },
    }),
    ...((!isWhole || some(({ completions }) => completions)) && { completions: {} }),
    ...((!isWhole || some(({ logging }) => logging)) && { logging: {} }),
  };
}

/** Those of the only upstream as they are, and of several under their names. */
function instructionsOf(parts: readonly RegistryPart[]): string | undefined {
  const texts = parts.flatMap(({ upstream, features }) => {
    const text = features?.catalogue.instructions;
    return text === undefined ? [] : [{ upstream, text }];
  });
  if (parts.length === 1) return texts[0]?.text;
  return texts.length === 0 ? undefined : texts.map(({ upstream, text }) => `${upstream}:\n${text}`).join('\n\n');
}
