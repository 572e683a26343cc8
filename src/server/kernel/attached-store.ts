/** The store of a server: attached where the server is served, and shared by all that serves it. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { type Durability, type DurabilityNeed, isLasting, nameOf, requireDurability } from '../../store/durability.ts';
import type { Store } from '../../store/store.ts';
import { type TimedStore, timed } from '../../store/timed.ts';

/** What the kernel sees of the store. */
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

/** What the options of a server ask of its store. */
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

type Attached = { readonly given: Store; readonly timed: TimedStore; users: number };

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

  /** Throws where a feature of the server needs a store, or a better one than is attached. */
  check(): void {
    for (const need of this.#demands.needs) requireDurability(this.#attached?.given, need);
  }

  /** Attaches a store, and throws where it does not fit the server. A server has one; its first user sets the time limit. */
  use(given: Store, timeoutMs = defaultTimeoutMs): UsedStore {
    if (this.#attached !== undefined && this.#attached.given !== given) throw anotherStore();
    if (isLasting(given) && !this.#demands.hasSecrets) throw withoutSecrets(given);
    for (const need of this.#demands.needs) requireDurability(given, need);
    const attached = this.#attached ?? { given, timed: timed(given, timeoutMs, this.#deadlines), users: 0 };
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

/** Each process would make a key of its own: what one has sealed, such as session ids, no other could open. */
const withoutSecrets = (store: Store): TenonError =>
  new TenonError(
    'invalid-argument',
    `The store ${nameOf(store)} outlives this process, but the server has no secrets.`,
    {
      hint: 'Set the option secrets of createServer(), to the same in every process: openssl rand -base64 32 makes one.',
      details: { place: 'secrets' },
    },
  );
