/** A definition made ready to serve: schemas read once, templates compiled once, records written once. Never changed. */
import { TenonError } from '../jsonrpc/errors.ts';
import { isImplementation } from '../protocol/generated/record-checks.ts';
import type { Implementation, ServerCapabilities } from '../protocol/generated/types/records.ts';
import type { CacheHint } from '../protocol/neutral.ts';
import type { Offer, ServerDefinition } from './definition/server.ts';
import { checkCache } from './ready/cache.ts';
import { type ReadyPrompt, readyPrompt } from './ready/prompt.ts';
import { checkShapes, type ReadyResource, type ReadyTemplate, readyResource, readyTemplate } from './ready/resource.ts';
import { checkRecord } from './ready/soundness.ts';
import { type ReadyTool, readyTool } from './ready/tool.ts';

export interface Registry {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
  readonly pageSize: number;
  readonly cache: CacheHint | undefined;
  readonly tools: ReadonlyMap<string, ReadyTool>;
  readonly resources: ReadonlyMap<string, ReadyResource>;
  readonly templates: ReadonlyMap<string, ReadyTemplate>;
  readonly prompts: ReadonlyMap<string, ReadyPrompt>;
}

/** Makes a registry. What `previous` has made ready of the very same values is taken over. */
export function createRegistry(definition: ServerDefinition, previous?: Registry): Registry {
  const { pageSize = 100, cache, instructions, tools = {}, resources = {}, templates = {}, prompts = {} } = definition;
  if (!Number.isInteger(pageSize) || pageSize < 1) {
    throw new TenonError('invalid-definition', `pageSize: ${pageSize} is no size of a page.`, {
      hint: 'Use 1 or more.',
    });
  }
  checkCache('cache', cache);
  const ready = {
    tools: readied(tools, readyTool, previous?.tools),
    resources: readied(resources, readyResource, previous?.resources),
    templates: readied(templates, readyTemplate, previous?.templates),
    prompts: readied(prompts, readyPrompt, previous?.prompts),
  };
  checkShapes(ready.templates);
  const info = cardOf(definition);
  checkRecord('the server', { ...info }, isImplementation);
  return { info, instructions, capabilities: capabilitiesOf(definition, ready), pageSize, cache, ...ready };
}

function readied<T extends object, R extends { readonly source: T }>(
  given: Readonly<Record<string, T>>,
  make: (name: string, source: T) => R,
  before: ReadonlyMap<string, R> = new Map(),
): ReadonlyMap<string, R> {
  const one = ([name, source]: [string, T]): [string, R] => {
    const known = before.get(name);
    return [name, known !== undefined && known.source === source ? known : make(name, source)];
  };
  return new Map(Object.entries(given).map(one));
}

function cardOf(definition: ServerDefinition): Implementation {
  const { name, version, title, description, websiteUrl, icons } = definition;
  return {
    name,
    version,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(websiteUrl !== undefined && { websiteUrl }),
    ...(icons !== undefined && { icons: [...icons] }),
  };
}

/** A server declares what its definition names, empty or not: what is named may be filled later. */
function capabilitiesOf(
  { experimental, ...offer }: Offer & Pick<ServerDefinition, 'experimental'>,
  { templates, prompts }: Pick<Registry, 'templates' | 'prompts'>,
): ServerCapabilities {
  const completes = [...templates.values(), ...prompts.values()].some(({ complete }) => complete.size > 0);
  return {
    ...(experimental && { experimental: { ...experimental } }),
    ...(offer.tools && { tools: { listChanged: true } }),
    ...((offer.resources ?? offer.templates) && { resources: { subscribe: true, listChanged: true } }),
    ...(offer.prompts && { prompts: { listChanged: true } }),
    ...(completes && { completions: {} }),
    logging: {},
  };
}

/** Which of the lists differ between two registries. */
export function changedLists(before: Registry, after: Registry): Array<'tools' | 'resources' | 'prompts'> {
  const same = <R>(one: ReadonlyMap<string, R>, other: ReadonlyMap<string, R>): boolean =>
    one.size === other.size && [...one].every(([name, ready]) => other.get(name) === ready);
  const lists: Array<'tools' | 'resources' | 'prompts'> = [];
  if (!same(before.tools, after.tools)) lists.push('tools');
  if (!same(before.resources, after.resources) || !same(before.templates, after.templates)) lists.push('resources');
  if (!same(before.prompts, after.prompts)) lists.push('prompts');
  return lists;
}
