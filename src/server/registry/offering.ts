/** The current features of a server, mounted ones included. A change applies as a whole or not at all. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isPromiseLike } from '../../lib/values/is.ts';
import { checkDefinition, checkDraft } from '../checks/definition-check.ts';
import type { Follower, Mountable, ServerDefinition, ServerFeatures } from '../definition/server.ts';
import type { ChangeNotifier } from '../ports/change-notifications.ts';
import { withExtensionResources } from './extensions.ts';
import { joinOffers } from './mount.ts';
import { changedLists, createRegistry, type Registry } from './registry.ts';

/** The features of a server inside `server.update()`. Add, replace or delete entries; mounted features are not in it. */
export interface FeaturesDraft {
  /** Tools by name. */
  tools: Record<string, NonNullable<ServerFeatures['tools']>[string]>;
  /** Resources by URI. */
  resources: Record<string, NonNullable<ServerFeatures['resources']>[string]>;
  /** Resource templates by their text. */
  resourceTemplates: Record<string, NonNullable<ServerFeatures['resourceTemplates']>[string]>;
  /** Prompts by name. */
  prompts: Record<string, NonNullable<ServerFeatures['prompts']>[string]>;
}

export interface Offering {
  /** With the mounted features. */
  readonly whole: ServerFeatures;
  readonly registry: Registry;
  /** Follows the mounted servers. They reference it weakly, so it lives as long as this object. */
  readonly following: readonly Follower[];
  update(change: (draft: FeaturesDraft) => void): void;
  updated(uri: string): void;
  follow(follower: Follower): void;
}

interface Present {
  readonly own: ServerDefinition;
  readonly whole: ServerDefinition;
  readonly registry: Registry;
}

export function createOffering(definition: ServerDefinition, changes: ChangeNotifier): Offering {
  checkDefinition(definition);
  const mounts = Object.entries(definition.mounts ?? {});
  let followers: WeakRef<Follower>[] = [];
  let changing = false;
  const brought = withExtensionResources(definition);
  let present = at({ ...brought, ...named(brought, copyOf(brought)) });

  function at(own: ServerDefinition, previous?: Registry, changed?: Mountable, next?: ServerFeatures): Present {
    const mounted = mounts.map(([prefix, one]) => {
      const offer = one === changed && next ? next : one.features;
      return { prefix, offer, middleware: one.middleware ?? [] };
    });
    const whole = joinOffers(own, mounted);
    return { own, whole, registry: createRegistry(whole, previous) };
  }

  function alive(): Follower[] {
    const found = followers.flatMap((held) => held.deref() ?? []);
    if (found.length < followers.length) followers = followers.filter((held) => held.deref() !== undefined);
    return found;
  }

  /** Rejects an invalid change. Another mount may change too before it is applied, so the features are joined again then. */
  function prepare(own: ServerDefinition, changed?: Mountable, offer?: ServerFeatures): () => void {
    const prepared = at(own, present.registry, changed, offer);
    const others = alive().map((follower) => follower.prepare(prepared.whole));
    return () => {
      const { registry } = present;
      present = at(own, prepared.registry);
      for (const change of changedLists(registry, present.registry)) changes.publish(change);
      for (const commit of others) commit();
    };
  }

  function updated(uri: string): void {
    changes.publish({ kind: 'resource', uri });
    for (const follower of alive()) follower.updated(uri);
  }

  /** The draft is copied: changing it later has no effect. */
  function update(change: (draft: FeaturesDraft) => void): void {
    if (changing) throw misused('update() was called inside update().', 'Make all changes in one function.');
    const draft = copyOf(present.own);
    changing = true;
    try {
      refusePromise(change(draft));
    } finally {
      changing = false;
    }
    checkDraft({ ...draft });
    prepare({ ...present.own, ...named(present.own, copyOf(draft)) })();
  }

  const following = [...new Set(mounts.map(([, one]) => one))].map((mounted): Follower => {
    const follower: Follower = { prepare: (next) => prepare(present.own, mounted, next), updated };
    mounted.follow(follower);
    return follower;
  });
  return {
    get whole() {
      return present.whole;
    },
    get registry() {
      return present.registry;
    },
    following,
    update,
    updated,
    follow(follower) {
      followers = [...alive(), follower].map((each) => new WeakRef(each));
    },
  };
}

const misused = (text: string, hint: string): TenonError => new TenonError('invalid-argument', text, { hint });

/** Changes after an `await` would come too late; a later rejection of the promise is ignored. */
function refusePromise(returned: unknown): void {
  if (!isPromiseLike(returned)) return;
  Promise.resolve(returned).catch(() => {});
  throw misused(
    'update() got a function that returns a promise.',
    'Await first, then call update() with a synchronous function.',
  );
}

const copyOf = ({ tools, resources, resourceTemplates: templates, prompts }: ServerFeatures): FeaturesDraft => ({
  tools: { ...tools },
  resources: { ...resources },
  resourceTemplates: { ...templates },
  prompts: { ...prompts },
});

/** A list that was not defined and is still empty stays undefined: capabilities depend on it. */
function named(current: ServerFeatures, draft: FeaturesDraft): Partial<FeaturesDraft> {
  const lists = Object.entries(draft).filter(
    ([name, items]) => current[name as keyof ServerFeatures] !== undefined || Object.keys(items).length > 0,
  );
  return Object.fromEntries(lists);
}
