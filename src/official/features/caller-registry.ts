/** The features of a caller: those of its instance, with what the owner of the server has added, changed or removed. */
import type { Registry } from '../../server/registry/registry.ts';
import { type BridgedFeatures, compiledOf } from './features.ts';

type Definition = { readonly handler: unknown; readonly compile: (name: string, source: never) => unknown };
type Definitions = Readonly<Record<string, Definition>>;
type Items = ReadonlyMap<string, { readonly source: object }>;

/** `first` are the features of the instance whose lists the server was created with. */
export function callerRegistry(base: Registry, first: BridgedFeatures, own: BridgedFeatures): Registry {
  const templates = itemsOf(base.templates, first.resourceTemplates, own.resourceTemplates);
  return {
    ...base,
    tools: itemsOf(base.tools, first.tools, own.tools),
    resources: itemsOf(base.resources, first.resources, own.resources),
    prompts: itemsOf(base.prompts, first.prompts, own.prompts),
    templates,
    reads: { templates },
  };
}

function itemsOf<T extends Items>(base: T, first: Definitions, own: Definitions): T {
  const items = new Map<string, unknown>();
  for (const [name, item] of base) {
    const bridged = Object.hasOwn(first, name) ? first[name] : undefined;
    const found = Object.hasOwn(own, name) ? own[name] : undefined;
    // One with another handler is not of the instance.
    const isOwner = bridged === undefined || (item.source as Partial<Definition>).handler !== bridged.handler;
    if (isOwner) items.set(name, item);
    else if (found !== undefined) items.set(name, item.source === bridged ? compiledOf(name, found) : item);
  }
  for (const [name, definition] of Object.entries(own))
    if (!base.has(name) && !Object.hasOwn(first, name)) items.set(name, compiledOf(name, definition));
  return items as unknown as T;
}
