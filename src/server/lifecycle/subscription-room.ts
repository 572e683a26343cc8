/** How much the subscriptions of a connection or an endpoint may watch together, and a fair share of it for each caller. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import { type Sharer, shareOf } from '../../ports/share.ts';
import { rpcError } from '../../protocol/errors.ts';
import type { SubscriptionFilter } from '../../protocol/generated/types/records.ts';
import { FairPool, Holding } from '../ports/fair-pool.ts';
import { maxWatched, tooManyWatched } from '../ports/target.ts';

/**
 * Listening requests of one connection at once, in protocol versions without sessions; of one endpoint over HTTP, a caller alone gets half of them.
 * @limit server
 * @beyond the request is rejected
 * @code overloaded
 */
const maxListeners = 1000;

/**
 * Characters of the URIs that the subscriptions of a connection watch together; of one endpoint over HTTP, a caller alone gets half of them.
 * @limit server
 * @beyond the request is rejected
 * @code overloaded
 */
const maxWatchedCharacters = 4 * 1024 * 1024;

const kinds = ['listeners', 'watched', 'characters'] as const;
type Of<T> = Readonly<Record<(typeof kinds)[number], T>>;

export class SubscriptionRoom {
  readonly #pools: Of<FairPool> = {
    listeners: new FairPool(maxListeners),
    watched: new FairPool(maxWatched),
    characters: new FairPool(maxWatchedCharacters),
  };
  /** What all callers hold together. */
  readonly #all: Of<Holding> = ofEach((kind) => this.#pools[kind].all);
  /** What callers without a principal hold together. */
  readonly #anonymous: Of<Holding>;
  /** By share. It grows with the callers that have subscriptions. */
  readonly #callers = new Map<string, Of<Holding>>();

  /** With principals, callers without one share what one principal may have. */
  constructor(hasPrincipals: boolean) {
    this.#anonymous = hasPrincipals ? heldWithin(this.#all) : this.#all;
  }

  /** Takes the room of a subscription; returns why there is none. */
  take(caller: Sharer, filter: SubscriptionFilter): RpcError | undefined {
    const share = nameOf(caller);
    const held = this.#heldBy(caller, share);
    const sizes = sizesOf(filter);
    for (const [at, kind] of kinds.entries()) {
      // A caller that holds more than it would get now can still subscribe to what needs none of it.
      if (sizes[kind] === 0 || this.#pools[kind].takeEach(held[kind], sizes[kind]) === undefined) continue;
      for (const taken of kinds.slice(0, at)) this.#pools[taken].release(held[taken], sizes[taken]);
      return share === undefined ? tooMuch[kind]() : tooMuchOfShare(kind);
    }
    if (share !== undefined) this.#callers.set(share, held);
    return undefined;
  }

  /** Of a subscription that has ended. */
  release(caller: Sharer, filter: SubscriptionFilter): void {
    const share = nameOf(caller);
    const held = this.#heldBy(caller, share);
    const sizes = sizesOf(filter);
    for (const kind of kinds) this.#pools[kind].release(held[kind], sizes[kind]);
    if (share !== undefined && held.listeners.count === 0) this.#callers.delete(share);
  }

  /** The only caller of a connection has all of it. */
  #heldBy({ principal }: Sharer, share: string | undefined): Of<Holding> {
    if (share === undefined) return this.#all;
    return this.#callers.get(share) ?? heldWithin(principal === undefined ? this.#anonymous : this.#all);
  }
}

/** Only callers over HTTP have addresses, and share an endpoint. */
const nameOf = (caller: Sharer): string | undefined => (caller.address === undefined ? undefined : shareOf(caller));

const ofEach = <T>(make: (kind: (typeof kinds)[number]) => T): Of<T> => ({
  listeners: make('listeners'),
  watched: make('watched'),
  characters: make('characters'),
});

/** Holds nothing yet, and counts towards the others. */
const heldWithin = (within: Of<Holding>): Of<Holding> => ofEach((kind) => new Holding(within[kind]));

function sizesOf({ resourceSubscriptions = [], taskIds = [] }: SubscriptionFilter): Of<number> {
  const charactersOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0);
  return {
    listeners: 1,
    watched: resourceSubscriptions.length + taskIds.length,
    characters: charactersOf(resourceSubscriptions) + charactersOf(taskIds),
  };
}

const overloaded = (text: string): RpcError => rpcError('overloaded', text);

const tooMuch: Of<() => RpcError> = {
  listeners: () => overloaded(`A connection can have at most ${maxListeners} subscriptions`),
  watched: tooManyWatched,
  characters: () =>
    overloaded(
      `The URIs and task IDs of all subscriptions of a connection can have at most ${maxWatchedCharacters} characters`,
    ),
};

const shared: Of<string> = {
  listeners: `at most ${maxListeners} subscriptions`,
  watched: `at most ${maxWatched} resources and tasks in subscriptions`,
  characters: `at most ${maxWatchedCharacters} characters of URIs and task IDs in subscriptions`,
};

const tooMuchOfShare = (kind: (typeof kinds)[number]): RpcError =>
  overloaded(`All callers together can have ${shared[kind]}, and each no more than it leaves to the others`);
