/** The store of a server: attached where the server is served, and shared by all that serves it. A guard has it from there. */
import { TenonError } from '../../jsonrpc/errors.ts';
import type { Store } from '../../store/store.ts';

/** What the kernel sees of the store. */
export interface AttachedStore {
  /** The store; absent where the server is served without one, so that everything is in memory. */
  readonly current: Store | undefined;
}

export class StoreSlot implements AttachedStore {
  readonly #owner: string;
  readonly #hint: string;
  #store: Store | undefined;
  #users = 0;

  /** `owner` begins the error about another store, `hint` ends it. */
  constructor(owner = 'The server', hint = sameStore) {
    this.#owner = owner;
    this.#hint = hint;
  }

  get current(): Store | undefined {
    return this.#store;
  }

  /** Attaches a store. A server has one: another fails. Returns a function that is called when its user has closed. */
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

/** Takes the store of a server. Returns a function that is called when the server is served with it no more. */
type UseStore = (store: Store) => () => void;

/** Passes a store to all that use it, or to none of them if one refuses it. Absent ones are left out. */
export function attachTo(users: readonly (UseStore | undefined)[], store: Store): () => void {
  const releases: (() => void)[] = [];
  const release = (): void => {
    for (const one of releases.splice(0)) one();
  };
  try {
    for (const use of users) if (use !== undefined) releases.push(use(store));
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

/** Idempotency keys and used states of one server in two stores would not exclude each other. */
const anotherStore = (owner: string, hint: string): TenonError =>
  new TenonError('invalid-argument', `${owner} is already served with another store.`, {
    hint,
    details: { place: 'store' },
  });

const sameStore =
  'Pass the same store to every serveHttp(), serveStdio(), toNodeHandler() and toFetchHandler() of a server.';
