/** Which clients of a user may use the account at an upstream: the answers of the user, each for one client. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Principal } from '../../ports/principal.ts';
import type { CredentialStore } from '../../store/credential-store.ts';
import { scopedCredentials } from './scoped-credentials.ts';

/** What the account is for. An answer does not hold for another server, or for other scopes. */
export interface ConsentTarget {
  readonly name: string;
  readonly url: string;
  readonly scopes: readonly string[];
}

/** The record of one user and upstream. */
interface Allowed {
  readonly url: string;
  readonly scopes: readonly string[];
  /** The client IDs, in the order in which they were allowed. */
  readonly clients: readonly string[];
}

/**
 * Clients that one user has allowed to use the account at one upstream.
 * @limit gateway
 * @beyond the one that was allowed first has to ask again
 */
const maxClients = 100;

/** How often a change is tried: other nodes may change the same record. */
const maxSwaps = 5;

const key = JSON.stringify(['allowed-clients']);

/** The ID of the client of a principal; empty if its tokens name none. */
export const clientIdOf = ({ client = '' }: Principal): string => client;

export class ClientConsents {
  readonly #store: CredentialStore;
  /** Rises with every change of this node: what was read before is read again. */
  version = 0;

  constructor(store: CredentialStore) {
    this.#store = store;
  }

  /** The client IDs. */
  async list(target: ConsentTarget, principal: Principal): Promise<readonly string[]> {
    const stored = await this.#scoped(target, principal).read(key);
    return clientsIn(stored?.value, target);
  }

  async has(target: ConsentTarget, principal: Principal): Promise<boolean> {
    return (await this.list(target, principal)).includes(clientIdOf(principal));
  }

  /** For the client of the principal. */
  allow(target: ConsentTarget, principal: Principal): Promise<void> {
    const client = clientIdOf(principal);
    const added = (clients: readonly string[]) => [...clients.filter((one) => one !== client), client];
    return this.#change(target, principal, (clients) => added(clients).slice(-maxClients));
  }

  withdraw(target: ConsentTarget, principal: Principal): Promise<void> {
    const client = clientIdOf(principal);
    return this.#change(target, principal, (clients) => clients.filter((one) => one !== client));
  }

  /** For all clients of the principal. */
  clear(target: ConsentTarget, principal: Principal): Promise<void> {
    return this.#change(target, principal, () => []);
  }

  async #change(
    target: ConsentTarget,
    principal: Principal,
    change: (clients: readonly string[]) => readonly string[],
  ): Promise<void> {
    const { name, url, scopes } = target;
    const store = this.#scoped(target, principal);
    for (let tries = 0; tries < maxSwaps; tries++) {
      const stored = await store.read(key);
      const clients = change(clientsIn(stored?.value, target));
      const next: Allowed | undefined = clients.length === 0 ? undefined : { url, scopes, clients };
      const isDone = (stored ?? next) === undefined || (await store.swap(key, stored?.version, next));
      this.version++;
      if (isDone) return;
    }
    throw new TenonError('store-failed', `The answer of the user for "${name}" could not be stored.`, {
      hint: 'Others have changed it meanwhile. Try again.',
    });
  }

  #scoped({ name }: ConsentTarget, principal: Principal): CredentialStore {
    return scopedCredentials(this.#store, { principal: principal.key, upstream: name });
  }
}

function clientsIn(value: unknown, { url, scopes }: ConsentTarget): readonly string[] {
  const allowed = value as Allowed | undefined;
  const isSame = allowed?.url === url && JSON.stringify(allowed.scopes) === JSON.stringify(scopes);
  return isSame ? allowed.clients : [];
}
