/** The store of a server: attached when the server is served, and shared by all its endpoints and connections. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { type Durability, type DurabilityNeed, isLasting, nameOf, requireDurability } from '../../store/durability.ts';
import type { Store } from '../../store/store.ts';
import { type TimedStore, timed } from '../../store/timed.ts';

/** The store as the kernel uses it. */
export interface AttachedStore {
  /** The store, bounded in time; absent where the server is served without one, so that everything is in memory. */
  readonly current: Store | undefined;
}

/** The store as one user of it sees it. */
export interface UsedStore {
  /** Bounded in time: the one object that all users of the server share. */
  readonly store: Store;
  /** The user has closed. Resolves when the store has nothing left to do for it. */
  release(): Promise<void>;
}

/** The requirements that the options of a server have for its store. */
export interface StoreDemands {
  readonly hasSecrets: boolean;
  readonly needs: readonly DurabilityNeed[];
}

/** The features that must not lose what they store, by their options. */
export const durabilityNeeds = (
  features: Readonly<Record<string, { readonly durability?: Durability } | false | undefined>>,
): readonly DurabilityNeed[] =>
  Object.entries(features).flatMap(([name, options]) => {
    const durability = options === false ? undefined : options?.durability;
    if (durability !== 'process' && durability !== 'disk') return [];
    return [{ option: `${name}.durability`, durability }];
  });

const defaultTimeoutMs = 2000;

type Attached = { readonly store: Store; readonly timed: TimedStore; users: number };

export class StoreSlot implements AttachedStore {
  readonly #demands: StoreDemands;
  readonly #deadlines: Deadlines;
  #attached: Attached | undefined;

  constructor(demands: StoreDemands, deadlines: Deadlines) {
    this.#demands = demands;
    this.#deadlines = deadlines;
  }

  get current(): Store | undefined {
    return this.#attached?.timed.store;
  }

  /** Throws if a feature of the server needs a store, or a more durable one than is attached. */
  check(): void {
    for (const need of this.#demands.needs) requireDurability(this.#attached?.store, need);
  }

  /** Attaches a store, and throws where it does not fit the server. A server has one; its first user sets the time limit. */
  use(store: Store, timeoutMs = defaultTimeoutMs): UsedStore {
    if (this.#attached !== undefined && this.#attached.store !== store) throw anotherStore();
    if (isLasting(store) && !this.#demands.hasSecrets) throw withoutSecrets(store);
    for (const need of this.#demands.needs) requireDurability(store, need);
    const attached = this.#attached ?? { store, timed: timed(store, timeoutMs, this.#deadlines), users: 0 };
    this.#attached = attached;
    attached.users++;
    let isReleased = false;
    return {
      store: attached.timed.store,
      release: () => {
        if (!isReleased && --attached.users === 0) this.#attached = undefined;
        isReleased = true;
        return attached.timed.idle();
      },
    };
  }
}

/** Idempotency keys and used states of one server in two stores would not exclude each other. */
const anotherStore = (): TenonError =>
  new TenonError('invalid-argument', 'The server is already served with another store.', {
    hint: 'Pass the same store to every serveHttp(), serveStdio(), toNodeHandler() and toFetchHandler() of a server.',
    details: { place: 'store' },
  });

/** Each process would create its own key: no other process could open the session ids that it sealed. */
const withoutSecrets = (store: Store): TenonError =>
  new TenonError(
    'invalid-argument',
    `The store ${nameOf(store)} outlives this process, but the server has no secrets.`,
    {
      hint: 'Set the option secrets of createServer(), to the same in every process: openssl rand -base64 32 makes one.',
      details: { place: 'secrets' },
    },
  );
