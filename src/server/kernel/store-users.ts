/** Other users of the store of a server: its guard, and `protect`. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Store } from '../../store/store.ts';
import type { UsedStore } from './attached-store.ts';

/** Receives the store of a server. Returns a function that is called when the server no longer uses it. */
type UseStore = (store: Store) => () => void;

/** Attaches a store for a server and for all that use it beside the server, or for none of them if one refuses it. */
export function withUsers(users: readonly (UseStore | undefined)[], store: Store, attach: () => UsedStore): UsedStore {
  const releases: (() => void)[] = [];
  const releaseAll = (): void => {
    for (const release of releases.splice(0)) release();
  };
  try {
    for (const use of users) if (use !== undefined) releases.push(use(store));
    const used = attach();
    return {
      store: used.store,
      release() {
        releaseAll();
        return used.release();
      },
    };
  } catch (error) {
    releaseAll();
    throw error;
  }
}

/** The store of a guard or of `protect`, which may serve several servers with the same store. */
export class StoreOfServers {
  readonly #owner: string;
  readonly #hint: string;
  #store: Store | undefined;
  #users = 0;

  /** `owner` begins the error about another store, `hint` ends it. */
  constructor(owner: string, hint: string) {
    this.#owner = owner;
    this.#hint = hint;
  }

  get current(): Store | undefined {
    return this.#store;
  }

  attach(store: Store): () => void {
    if (this.#store !== undefined && this.#store !== store) throw anotherStore(this.#owner, this.#hint);
    this.#store = store;
    this.#users++;
    let isAttached = true;
    return () => {
      if (!isAttached) return;
      isAttached = false;
      if (--this.#users === 0) this.#store = undefined;
    };
  }
}

/** Counts and used keys in two stores would not exclude each other. */
const anotherStore = (owner: string, hint: string): TenonError =>
  new TenonError('invalid-argument', `${owner} is already used with another store.`, {
    hint,
    details: { place: 'store' },
  });
