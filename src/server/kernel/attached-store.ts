/** The store of a server: attached where the server is served, and shared by all that serves it. */
import { TenonError } from '../../jsonrpc/errors.ts';
import type { Store } from '../../store/store.ts';

/** What the kernel sees of the store. */
export interface AttachedStore {
  /** The store; absent where the server is served without one, so that everything is in memory. */
  readonly current: Store | undefined;
}

export class StoreSlot implements AttachedStore {
  #store: Store | undefined;
  #users = 0;

  get current(): Store | undefined {
    return this.#store;
  }

  /** Attaches a store. A server has one: another fails. Returns a function that is called when its user has closed. */
  attach(store: Store): () => void {
    if (this.#store !== undefined && this.#store !== store) throw anotherStore();
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

/** Idempotency keys and used states of one server in two stores would not exclude each other. */
const anotherStore = (): TenonError =>
  new TenonError('invalid-argument', 'The server is already served with another store.', {
    hint: 'Pass the same store to every serveHttp(), serveStdio(), toNodeHandler() and toFetchHandler() of a server.',
    details: { place: 'store' },
  });
