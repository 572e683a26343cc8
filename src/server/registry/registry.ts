/** A compiled definition: schemas are read, templates compiled and records written once. Immutable. */

import type { Fields } from '../../lib/values/is.ts';
import type { GuardedFeature, NamedFeatures } from '../../ports/guard.ts';
import { isImplementation } from '../../protocol/generated/record-checks.ts';
import type { Implementation, LoggingLevel, ServerCapabilities } from '../../protocol/generated/types/records.ts';
import type { CacheHint } from '../../protocol/neutral.ts';
import { samplingMethod } from '../../protocol/sampling.ts';
import { checkAppResources } from '../checks/app-resources.ts';
import { checkCache } from '../checks/cache-hint.ts';
import { refused } from '../checks/definition-error.ts';
import { checkDefined, checkRecord, type DefinitionKind } from '../checks/definition-fields.ts';
import { checkShapes } from '../checks/template-conflicts.ts';
import type {
  CallableTool,
  Compiled,
  CompiledMethod,
  CompiledPrompt,
  CompiledTemplate,
  ListedRecords,
  NotificationReceiver,
} from '../definition/compiled.ts';
import type { ServerDefinition } from '../definition/server.ts';
import type { Invocation } from '../features/invocation.ts';
import type { ListChange } from '../ports/change-notifications.ts';
import { maxTargetChars } from '../ports/target.ts';
import { type CompiledExtensions, compileExtensions } from './extensions.ts';
import { mountChainsOf } from './mount.ts';

export interface Registry {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
  /** Whether a tool runs as a task. */
  readonly hasTasks: boolean;
  readonly pageSize: number;
  readonly cache: CacheHint | undefined;
  /** What lists have as `_meta`, from a source of features. */
  readonly listMeta?: Readonly<Fields> | undefined;
  readonly tools: ReadonlyMap<string, CallableTool<Invocation>>;
  /** What is listed of the tools that a caller sees, from a source of features; absent if all are. */
  readonly listedTools?: ((visible: Registry['tools']) => ListedRecords) | undefined;
  readonly resources: ReadonlyMap<string, Compiled<Invocation>>;
  readonly templates: ReadonlyMap<string, CompiledTemplate<Invocation>>;
  readonly prompts: ReadonlyMap<string, CompiledPrompt<Invocation>>;
  /** The templates through which resources are read. */
  readonly reads: ReadTemplates;
  /** The methods of extensions, by their names. */
  readonly extensionMethods: ReadonlyMap<string, CompiledMethod<Invocation>>;
  /** Receivers of clients' notifications that extensions define, by method. */
  readonly notifications: ReadonlyMap<string, NotificationReceiver>;
  /** Whether anything comes from a mounted server that has middleware. */
  readonly hasMountChains: boolean;
  /** Whether any definition needs scopes. */
  readonly hasScopes: boolean;
  /** Whether any template lists resources. */
  readonly hasTemplateLists: boolean;
}

/** The templates through which resources are read. They include templates that the caller may read but not list. */
interface ReadTemplates {
  readonly templates: ReadonlyMap<string, CompiledTemplate<Invocation>>;
  /** Whether a resource may be read through a template; absent if every one may. */
  mayRead?(uri: string, template: string): boolean;
}

/**
 * Items of a page of a list.
 * @limit server
 * @default computed 100, or `pageSize` of the definition
 * @beyond the rest is on the next page
 */
const usualPageSize = 100;

/** Creates a registry. Reuses what `previous` compiled from the same values. */
export function createRegistry(definition: ServerDefinition, previous?: Registry): Registry {
  const {
    pageSize = usualPageSize,
    cache,
    instructions,
    tools = {},
    resources = {},
    resourceTemplates: templates = {},
    prompts = {},
  } = definition;
  if (!Number.isInteger(pageSize) || pageSize < 1) {
    throw refused(`pageSize: ${pageSize} is not a page size.`, 'Use an integer of 1 or more.');
  }
  checkCache('cache', cache);
  const compiled = {
    tools: compileAll('tool', tools, previous?.tools),
    resources: compileAll('resource', resources, previous?.resources),
    templates: compileAll('template', templates, previous?.templates),
    prompts: compileAll('prompt', prompts, previous?.prompts),
  };
  checkShapes(compiled.templates);
  checkAppResources(compiled);
  const info = implementationOf(definition);
  checkRecord('server', { ...info }, isImplementation);
  const all: readonly Pick<Compiled, 'source' | 'scopes'>[] = Object.values(compiled).flatMap((list) => [
    ...list.values(),
  ]);
  const hasMountChains = all.some(({ source }) => mountChainsOf(source).length > 0);
  const hasScopes = all.some(({ scopes }) => scopes !== undefined);
  const { declared, methods: extensionMethods, notifications } = compileExtensions(definition.extensions);
  const capabilities = {
    ...capabilitiesOf(definition, declared, compiled),
    ...(extensionMethods.has(samplingMethod) && { sampling: {} }),
  };
  return {
    info,
    instructions,
    capabilities,
    hasTasks: [...compiled.tools.values()].some(({ task }) => task !== undefined),
    pageSize,
    cache,
    hasMountChains,
    hasScopes,
    hasTemplateLists: [...compiled.templates.values()].some(({ list }) => list !== undefined),
    extensionMethods,
    notifications,
    ...compiled,
    reads: { templates: compiled.templates },
  };
}

/** A definition has its own compiler, so that bundlers drop the code of kinds that are not used. */
interface Definable<T> {
  readonly kind: DefinitionKind;
  readonly compile: (name: string, source: T) => unknown;
}

function compileAll<T extends object, R extends { readonly source: object }>(
  kind: DefinitionKind,
  definitions: Readonly<Record<string, T & Definable<T>>>,
  before: ReadonlyMap<string, R> = new Map(),
): ReadonlyMap<string, R> {
  const one = (name: string, source: T & Definable<T>): R => {
    const known = before.get(name);
    if (known !== undefined && known.source === source) return known;
    checkDefined(kind, name, source);
    // The result of a compiler is internal: the types of definitions do not name it.
    return source.compile(name, source) as R;
  };
  return new Map(Object.entries(definitions).map(([name, source]) => [name, one(name, source)]));
}

function implementationOf(definition: ServerDefinition): Implementation {
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

/** A server declares every list of its definition, even an empty one: it may be filled later. The author may declare less. */
function capabilitiesOf(
  { experimental, capabilities: chosen = {}, ...offer }: ServerDefinition,
  extensions: CompiledExtensions['declared'],
  { templates, prompts }: Pick<Registry, 'templates' | 'prompts'>,
): ServerCapabilities {
  const completes = [...templates.values(), ...prompts.values()].some(({ completes }) => completes);
  return {
    ...(experimental && { experimental: { ...experimental } }),
    ...(extensions && { extensions }),
    ...(offer.tools && { tools: { listChanged: true, ...chosen.tools } }),
    ...((offer.resources ?? offer.resourceTemplates) && {
      resources: { subscribe: true, listChanged: true, ...chosen.resources },
    }),
    ...(offer.prompts && { prompts: { listChanged: true, ...chosen.prompts } }),
    ...(completes && chosen.completions !== false && { completions: {} }),
    ...(chosen.logging !== false && { logging: {} }),
  };
}

/** Which of the lists differ between two registries, and in what. */
export function changedLists(before: Registry, after: Registry): ListChange[] {
  const changed = <R>(
    one: ReadonlyMap<string, R>,
    other: ReadonlyMap<string, R>,
    featureOf: (name: string) => GuardedFeature,
  ): GuardedFeature[] =>
    one === other
      ? []
      : [...new Set([...one.keys(), ...other.keys()])]
          .filter((name) => one.get(name) !== other.get(name))
          .map((name) => featureOf(name));
  const lists: ListChange[] = [
    { kind: 'tools', changed: changed(before.tools, after.tools, (tool) => ({ tool })) },
    {
      kind: 'resources',
      changed: [
        ...changed(before.resources, after.resources, (resource) => ({ resource })),
        ...changed(before.templates, after.templates, (template) => ({ template })),
      ],
    },
    { kind: 'prompts', changed: changed(before.prompts, after.prompts, (prompt) => ({ prompt })) },
  ];
  return lists.filter(({ changed: features = [] }) => features.length > 0);
}

/** The resource at a URI: a fixed one, or the first template that the URI matches. */
export const resourceAt = (
  registry: Registry,
  uri: string,
): Pick<Compiled, 'source' | 'record' | 'fingerprint' | 'timeoutMs' | 'scopes'> | undefined =>
  registry.resources.get(uri) ?? templateAt(registry, uri)?.template;

/** The first template that a URI matches, with the variables. A URI that is too long matches none. */
export function templateAt({ reads }: Registry, uri: string): TemplateMatch | undefined {
  if (uri.length > maxTargetChars) return undefined;
  for (const [pattern, template] of reads.templates) {
    const variables = template.match(uri);
    if (variables !== undefined && reads.mayRead?.(uri, pattern) !== false) return { pattern, template, variables };
  }
  return undefined;
}

export interface TemplateMatch {
  readonly pattern: string;
  readonly template: CompiledTemplate<Invocation>;
  readonly variables: Readonly<Record<string, string>>;
}

/** The resource at a URI, as a guard names it. */
export function resourceFeature(registry: Registry, uri: string): GuardedFeature | undefined {
  if (registry.resources.has(uri)) return { resource: uri };
  const found = templateAt(registry, uri);
  return found && { resource: uri, template: found.pattern };
}

/** The names of everything, as a guard names it. */
export const namesIn = (registry: Registry): NamedFeatures => ({
  tool: [...registry.tools.keys()],
  resource: [...registry.resources.keys()],
  template: [...registry.templates.keys()],
  prompt: [...registry.prompts.keys()],
  isResource: (uri) => resourceFeature(registry, uri) !== undefined,
});

/** The level from which a client gets log messages: none if the server does not declare logging. */
export const levelFor = ({ capabilities }: Registry, level: LoggingLevel | undefined): LoggingLevel | undefined =>
  capabilities.logging === undefined ? undefined : level;
