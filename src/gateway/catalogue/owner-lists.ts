/** The features of each owner at one upstream: read when they are first needed, and again when they may have changed. */
import type { Deadline, Deadlines } from '../../lib/time/deadlines.ts';
import { type MaybePromise, runInBackground } from '../../lib/values/maybe-promise.ts';
import type { GuardedFeature } from '../../ports/guard.ts';
import type { ListChange } from '../../server/ports/change-notifications.ts';
import type { SourceCaller } from '../../server/ports/source-caller.ts';
import type { ChangeReceiver } from '../../server/ports/source-session.ts';
import { type ConnectionUser, isUserOf } from '../connections/owner.ts';
import { listsTtlMs, maxListOwners, minRereadMs } from '../options.ts';
import type { UpstreamFeatures } from './catalogue.ts';
import { HeldLists } from './held-lists.ts';

export interface OwnerListsPorts {
  readonly deadlines: Deadlines;
  read(caller: SourceCaller, user: ConnectionUser): Promise<UpstreamFeatures>;
  /** Lists could not be read again for those that follow them. */
  failed(error: unknown): void;
}

interface Known {
  caller: SourceCaller;
  user: ConnectionUser;
  features: UpstreamFeatures | undefined;
  /** Of those that were read last, also if they had to make room for others. */
  digest: string | undefined;
  readAt: number;
  isStale: boolean;
  loading: Promise<UpstreamFeatures> | undefined;
  /** When they were last read again for those that follow them, and when they will be. */
  rereadAt: number;
  reading: Deadline | undefined;
  /** Sessions, by the keys of their connections, and subscriptions. */
  readonly followers: Map<unknown, ChangeReceiver>;
}

export class OwnerLists {
  readonly #ports: OwnerListsPorts;
  readonly #known = new Map<string, Known>();
  readonly #held = new HeldLists();
  /** When lists may be read again for those that follow them. */
  #rereadFrom = 0;

  constructor(ports: OwnerListsPorts) {
    this.#ports = ports;
  }

  /** As they were read last. */
  find({ listKey }: ConnectionUser): UpstreamFeatures | undefined {
    return this.#known.get(listKey)?.features;
  }

  /** Whether they were looked for, and are not there: they could not be read, or not in time. */
  isMissing({ listKey }: ConnectionUser): boolean {
    const known = this.#known.get(listKey);
    return known !== undefined && known.features === undefined;
  }

  /** Returns no promise if they are known. */
  load(caller: SourceCaller, user: ConnectionUser): MaybePromise<UpstreamFeatures> {
    const known = this.#of(caller, user);
    const { session } = caller.caller;
    if (session !== undefined && !session.isEnded) known.followers.set(caller.connectionKey, session);
    const { features, isStale, readAt } = known;
    if (features !== undefined && !isStale && this.#ports.deadlines.now() - readAt < listsTtlMs) return features;
    known.loading ??= this.#read(known).finally(() => {
      known.loading = undefined;
    });
    return known.loading;
  }

  /** A subscription begins. Returns a function that ends it. */
  follow(caller: SourceCaller, user: ConnectionUser, receiver: ChangeReceiver): () => void {
    const { followers } = this.#of(caller, user);
    followers.set(receiver, receiver);
    return () => followers.delete(receiver);
  }

  /** The upstream has reported a change. */
  outdated({ listKey }: ConnectionUser): void {
    const known = this.#known.get(listKey);
    if (known === undefined) return;
    known.isStale = true;
    this.#reloadLater(known);
  }

  /** Whether a session or a subscription follows them. */
  isFollowed({ listKey }: ConnectionUser): boolean {
    return (this.#known.get(listKey)?.followers.size ?? 0) > 0;
  }

  /** Reads them again, since changes may have been missed. Rejects if they cannot be read. */
  async readAgain({ listKey }: ConnectionUser): Promise<void> {
    const known = this.#known.get(listKey);
    if (known === undefined) return;
    known.isStale = true;
    await this.load(known.caller, known.user);
  }

  /** Those of a principal are read again when it comes back. */
  forget(principal: string, client?: string): void {
    for (const [listKey, { user }] of this.#known) if (isUserOf(user, principal, client)) this.#delete(listKey);
  }

  /** Nothing that was read holds any more. */
  allOutdated(): void {
    // Loading moves each to the end.
    for (const known of Array.from(this.#known.values())) {
      known.isStale = true;
      this.#reloadLater(known);
    }
  }

  /** A session or connection has ended. */
  ended(connection: string): void {
    for (const [listKey, { user, followers }] of this.#known) {
      followers.delete(connection);
      if (user.isOfSession && user.session === connection) this.#delete(listKey);
    }
  }

  /** An upstream may report a change with every list that it sends: then a list without a pause would follow each other. */
  #reloadLater(known: Known): void {
    if (known.followers.size === 0 || known.reading !== undefined) return;
    const { deadlines } = this.#ports;
    const waitMs = Math.max(known.rereadAt + minRereadMs, this.#rereadFrom) - deadlines.now();
    if (waitMs <= 0 && known.loading === undefined) {
      known.rereadAt = deadlines.now();
      this.#rereadFrom = known.rereadAt + (known.features?.catalogue.weight ?? 0) / rereadChars;
      return this.#reload(known);
    }
    known.reading = deadlines.add(
      Math.max(waitMs, minWaitMs),
      () => {
        known.reading = undefined;
        if (known.isStale) this.#reloadLater(known);
      },
      false,
    );
  }

  #reload(known: Known): void {
    const load = async (): Promise<unknown> => this.load(known.caller, known.user);
    runInBackground(load, (error) => this.#ports.failed(error));
  }

  #of(caller: SourceCaller, user: ConnectionUser): Known {
    const { listKey } = user;
    const known: Known = this.#known.get(listKey) ?? {
      caller,
      user,
      features: undefined,
      digest: undefined,
      readAt: 0,
      isStale: false,
      loading: undefined,
      rereadAt: -Infinity,
      reading: undefined,
      followers: new Map(),
    };
    known.caller = caller;
    known.user = user;
    this.#known.delete(listKey);
    this.#known.set(listKey, known);
    if (this.#known.size > maxListOwners) this.#dropOldest();
    return known;
  }

  /** Returns whether there was one that nothing uses. */
  #dropOldest(): boolean {
    for (const [listKey, { followers, loading }] of this.#known)
      if (followers.size === 0 && loading === undefined) {
        this.#delete(listKey);
        return true;
      }
    return false;
  }

  #delete(listKey: string): void {
    const known = this.#known.get(listKey);
    if (known === undefined) return;
    this.#known.delete(listKey);
    if (known.features !== undefined) this.#held.remove(known.features.catalogue);
    if (known.reading !== undefined) this.#ports.deadlines.cancel(known.reading);
  }

  /** What is remembered of an owner that was dropped meanwhile is not counted. */
  #hold(known: Known, features: UpstreamFeatures): void {
    if (this.#known.get(known.user.listKey) === known) {
      if (known.features !== undefined) this.#held.remove(known.features.catalogue);
      this.#held.add(features.catalogue);
    }
    known.features = features;
    known.readAt = this.#ports.deadlines.now();
    known.digest = features.catalogue.digest;
    while (this.#held.isFull && this.#dropOldest());
    // What is followed is read again when it is needed.
    for (const one of this.#known.values()) {
      if (!this.#held.isFull) return;
      if (one === known || one.features === undefined) continue;
      this.#held.remove(one.features.catalogue);
      one.features = undefined;
    }
  }

  async #read(known: Known): Promise<UpstreamFeatures> {
    known.isStale = false;
    const { features: before, digest } = known;
    try {
      const features = await this.#ports.read(known.caller, known.user);
      this.#hold(known, features);
      for (const change of changesSince(before, digest, features))
        for (const follower of known.followers.values()) follower.changed(change);
      return features;
    } catch (error) {
      known.isStale = true;
      throw error;
    }
  }
}

/** While they are being read. */
const minWaitMs = 50;

/**
 * Characters of long lists of an upstream that are read in a millisecond for those that follow them.
 * @limit gateway
 * @beyond the next ones are read later
 */
const rereadChars = 5000;

/** Where it is not known any more what has changed, all lists may have. */
function changesSince(
  before: UpstreamFeatures | undefined,
  digest: string | undefined,
  after: UpstreamFeatures,
): readonly ListChange[] {
  if (before !== undefined) return before === after ? [] : changesBetween(before, after);
  const isSame = digest === undefined || digest === after.catalogue.digest;
  return isSame ? [] : [{ kind: 'tools' }, { kind: 'resources' }, { kind: 'prompts' }];
}

type Items = ReadonlyMap<string, { readonly record: object }>;

/** The lists that differ, and in what: a guard shows a change only to callers that see it. */
export function changesBetween(before: UpstreamFeatures, after: UpstreamFeatures): ListChange[] {
  const changed = (one: Items, other: Items, featureOf: (name: string) => GuardedFeature): GuardedFeature[] =>
    [...new Set([...one.keys(), ...other.keys()])]
      .filter((name) => textOf(one, name) !== textOf(other, name))
      .map(featureOf);
  const resources = [
    ...changed(before.resources, after.resources, (resource) => ({ resource })),
    ...changed(before.templates, after.templates, (template) => ({ template })),
  ];
  const lists: ListChange[] = [
    { kind: 'tools', changed: changed(before.tools, after.tools, (tool) => ({ tool })) },
    { kind: 'resources', changed: resources },
    { kind: 'prompts', changed: changed(before.prompts, after.prompts, (prompt) => ({ prompt })) },
  ];
  return lists.filter(({ changed: features = [] }) => features.length > 0);
}

const textOf = (items: Items, name: string): string | undefined => {
  const item = items.get(name);
  return item && JSON.stringify(item.record);
};
