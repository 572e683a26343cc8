/** What a server offers at present, its own and what it mounts. It changes as a whole or not at all. */
import type { ChangeFeed } from './changes.ts';
import type { Follower, Mountable, Offer, ServerDefinition } from './definition/server.ts';
import { joinOffers } from './mount.ts';
import { changedLists, createRegistry, type Registry } from './registry.ts';

/** What a server itself offers while it is being changed. */
export interface Draft {
  tools: Record<string, NonNullable<Offer['tools']>[string]>;
  resources: Record<string, NonNullable<Offer['resources']>[string]>;
  templates: Record<string, NonNullable<Offer['templates']>[string]>;
  prompts: Record<string, NonNullable<Offer['prompts']>[string]>;
}

export interface Offering {
  /** With what is mounted. */
  readonly whole: Offer;
  readonly registry: Registry;
  update(change: (draft: Draft) => void): void;
  updated(uri: string): void;
  follow(follower: Follower): void;
}

interface Present {
  readonly own: ServerDefinition;
  readonly whole: ServerDefinition;
  readonly registry: Registry;
}

export function createOffering(definition: ServerDefinition, feed: ChangeFeed): Offering {
  const mounts = Object.entries(definition.mounts ?? {});
  const followers: Follower[] = [];
  let present = at(definition);

  function at(own: ServerDefinition, previous?: Registry, changed?: Mountable, next?: Offer): Present {
    const offers = mounts.map(([prefix, one]) => [prefix, one === changed && next ? next : one.offer] as const);
    const whole = joinOffers(own, offers);
    return { own, whole, registry: createRegistry(whole, previous) };
  }

  /** All that can be refused is refused here. Another mount may change along, so what is there is joined again then. */
  function prepare(own: ServerDefinition, changed?: Mountable, offer?: Offer): () => void {
    const prepared = at(own, present.registry, changed, offer);
    const others = followers.map((follower) => follower.prepare(prepared.whole));
    return () => {
      const { registry } = present;
      present = at(own, prepared.registry);
      for (const kind of changedLists(registry, present.registry)) feed.publish({ kind });
      for (const commit of others) commit();
    };
  }

  function updated(uri: string): void {
    feed.publish({ kind: 'resource', uri });
    for (const follower of followers) follower.updated(uri);
  }

  for (const mounted of new Set(mounts.map(([, one]) => one))) {
    mounted.follow({ prepare: (next) => prepare(present.own, mounted, next), updated });
  }
  return {
    get whole() {
      return present.whole;
    },
    get registry() {
      return present.registry;
    },
    update(change) {
      const draft = draftOf(present.own);
      change(draft);
      prepare({ ...present.own, ...named(present.own, draft) })();
    },
    updated,
    follow: (follower) => void followers.push(follower),
  };
}

const draftOf = ({ tools, resources, templates, prompts }: Offer): Draft => ({
  tools: { ...tools },
  resources: { ...resources },
  templates: { ...templates },
  prompts: { ...prompts },
});

/** A list that was never named and is still empty stays unnamed: capabilities follow from names. */
function named(current: Offer, draft: Draft): Partial<Draft> {
  const lists = Object.entries(draft).filter(
    ([name, items]) => current[name as keyof Offer] !== undefined || Object.keys(items).length > 0,
  );
  return Object.fromEntries(lists);
}
