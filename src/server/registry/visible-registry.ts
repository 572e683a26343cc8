/** A registry as one caller sees it. Hidden features are not in it, so that no other code can reveal them. */
import type { GuardedCaller, GuardedFeature, ServerGuard } from '../../ports/guard.ts';
import type { Registry } from './registry.ts';

/** Nothing is cached: a new policy applies from the next look-up. */
export function visibleRegistry(registry: Registry, guard: ServerGuard, caller: GuardedCaller): Registry {
  const { tools, resources, templates, prompts, cache } = registry;
  const only = <T>(
    items: ReadonlyMap<string, T>,
    featureOf: (name: string) => GuardedFeature,
  ): ReadonlyMap<string, T> => new VisibleItems(items, (name) => guard.sees(caller, featureOf(name)));
  return {
    ...registry,
    // Results differ between callers, so they are private.
    cache: cache && { ...cache, scope: 'private' },
    tools: only(tools, (tool) => ({ tool })),
    resources: only(resources, (resource) => ({ resource })),
    templates: only(templates, (template) => ({ template })),
    prompts: only(prompts, (prompt) => ({ prompt })),
    reads: {
      templates: registry.reads.templates,
      mayRead: (resource, template) => guard.sees(caller, { resource, template }),
    },
  };
}

/** The items of a map that a caller sees. Lists are filtered when they are read. */
class VisibleItems<T> implements ReadonlyMap<string, T> {
  readonly #items: ReadonlyMap<string, T>;
  readonly #sees: (name: string) => boolean;
  /** A call looks up the same name several times. */
  #last: { readonly name: string; readonly isVisible: boolean } | undefined;

  constructor(items: ReadonlyMap<string, T>, sees: (name: string) => boolean) {
    this.#items = items;
    this.#sees = sees;
  }

  get(name: string): T | undefined {
    return this.has(name) ? this.#items.get(name) : undefined;
  }

  has(name: string): boolean {
    if (!this.#items.has(name)) return false;
    if (this.#last?.name !== name) this.#last = { name, isVisible: this.#sees(name) };
    return this.#last.isVisible;
  }

  get size(): number {
    return [...this.keys()].length;
  }

  *entries(): MapIterator<[string, T]> {
    for (const entry of this.#items) if (this.#sees(entry[0])) yield entry;
  }

  *keys(): MapIterator<string> {
    for (const [name] of this.entries()) yield name;
  }

  *values(): MapIterator<T> {
    for (const [, item] of this.entries()) yield item;
  }

  [Symbol.iterator](): MapIterator<[string, T]> {
    return this.entries();
  }

  forEach(run: (item: T, name: string, map: ReadonlyMap<string, T>) => void): void {
    for (const [name, item] of this.entries()) run(item, name, this);
  }
}
