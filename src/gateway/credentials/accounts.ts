/** The accounts that users have connected at upstreams. Tokens belong to one user at one upstream, and are read by no other pair. */
import { type OAuth, oauth } from '../../auth/client/oauth.ts';
import type { ClientAuth } from '../../client/http/port/client-auth.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Principal } from '../../ports/principal.ts';
import type { CredentialStore } from '../../store/credential-store.ts';
import type { Secrets } from '../config/secrets-file.ts';
import type { FileAuth } from '../config/upstream-options.ts';
import type { ConnectionOwner, UpstreamAuth } from '../types.ts';
import { accountAuth } from './account-auth.ts';
import { ClientConsents, type ConsentTarget, clientIdOf } from './client-consents.ts';
import type { ConnectTickets } from './connect-tickets.ts';
import { scopedCredentials } from './scoped-credentials.ts';

type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Where users connect, and what their accounts need of the gateway. */
export interface AccountsOptions {
  readonly store: CredentialStore;
  /** The issuer of the callers who have accounts. */
  readonly issuer: string;
  /** The page where accounts are connected, such as `https://mcp.example.com/connect`. */
  readonly pageUrl: string;
  /** For the links in errors. */
  readonly tickets: ConnectTickets;
  readonly now?: () => number;
}

/** An upstream where each user has an account. */
export interface AccountUpstream {
  readonly name: string;
  readonly url: string;
  readonly auth: FileAuth;
  readonly secrets: Secrets;
  readonly fetch: Fetch;
}

export class Accounts {
  readonly issuer: string;
  readonly #store: CredentialStore;
  readonly #consents: ClientConsents;
  readonly #pageUrl: string;
  readonly #tickets: ConnectTickets;
  readonly #now: () => number;
  #upstreams: ReadonlyMap<string, AccountUpstream> = new Map();
  /** Closes what is open for a client that may not use an account any more, or for all clients of the user. */
  onWithdrawn: (upstream: string, principal: Principal, client: string | undefined) => Promise<void> = async () => {};
  /** What waits for accounts that are not connected, by upstream, principal and client. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor({ store, issuer, pageUrl, tickets, now = Date.now }: AccountsOptions) {
    this.#store = store;
    this.#consents = new ClientConsents(store);
    this.#tickets = tickets;
    this.issuer = issuer;
    this.#pageUrl = pageUrl;
    this.#now = now;
  }

  /** The upstreams of the file that is used from now on. */
  use(upstreams: readonly AccountUpstream[]): void {
    this.#upstreams = new Map(upstreams.map((one) => [one.name, one]));
  }

  /** In the order of the file. */
  get upstreams(): readonly AccountUpstream[] {
    return [...this.#upstreams.values()];
  }

  upstream(name: string): AccountUpstream | undefined {
    return this.#upstreams.get(name);
  }

  /** The option `auth` of an upstream: what each owner of a connection sends. */
  authFor(upstream: AccountUpstream): UpstreamAuth {
    const { name } = upstream;
    return ({ principal }: ConnectionOwner): ClientAuth => {
      if (principal?.issuer !== this.issuer) return refusing(() => withoutAccount(name));
      return accountAuth({
        // Without `signIn` nothing is sent to the authorization server before the user has allowed it on the page.
        create: () => this.#oauth(upstream, principal, false),
        isAllowed: () => this.#consents.has(targetOf(upstream), principal),
        version: () => this.#consents.version,
        notConnected: () => this.#notConnected(name, principal),
        now: this.#now,
      });
    };
  }

  /** Where the browser of the user goes to sign in at the upstream; nothing if the upstream needs no sign-in. */
  async begin(upstream: AccountUpstream, principal: Principal, signal: AbortSignal): Promise<URL | undefined> {
    const own = this.#oauth(upstream, principal, true).forServer(upstream.url);
    try {
      await own.refused(await challengeOf(upstream, signal), signal);
      return undefined;
    } catch (error) {
      const found = error instanceof TenonError && error.code === 'sign-in-required' ? error.details.url : undefined;
      if (typeof found !== 'string') throw error;
      return new URL(found);
    }
  }

  /** Stores the tokens of the user. Rejects unless this user began the sign-in, once. */
  async finish(upstream: AccountUpstream, principal: Principal, callback: URL): Promise<void> {
    await this.#oauth(upstream, principal, true).finishSignIn(callback);
    await this.#connected(upstream, principal);
  }

  /** Lets the client of the principal use the account of the user, now or once it is connected. */
  async allow(upstream: AccountUpstream, principal: Principal): Promise<void> {
    await this.#consents.allow(targetOf(upstream), principal);
    if (await this.isConnected(upstream, principal)) await this.#connected(upstream, principal);
  }

  /** Takes the account from the client of the principal. */
  async withdraw(upstream: AccountUpstream, principal: Principal): Promise<void> {
    await this.#consents.withdraw(targetOf(upstream), principal);
    await this.onWithdrawn(upstream.name, principal, clientIdOf(principal));
  }

  /** The IDs of the clients that may use the account. */
  clients(upstream: AccountUpstream, principal: Principal): Promise<readonly string[]> {
    return this.#consents.list(targetOf(upstream), principal);
  }

  /** The calls of clients that may use the account go on. */
  async #connected(upstream: AccountUpstream, principal: Principal): Promise<void> {
    for (const client of await this.clients(upstream, principal)) {
      const key = waitingKey(upstream.name, principal, client);
      const listeners = this.#waiting.get(key);
      this.#waiting.delete(key);
      for (const listener of listeners ?? []) listener();
    }
  }

  /** Whether there are tokens. */
  async isConnected(upstream: AccountUpstream, principal: Principal): Promise<boolean> {
    const { url } = upstream;
    const own = this.#oauth(upstream, principal, false).forServer(url);
    return (await own.headers({ method: 'POST', url })) !== undefined;
  }

  /** Revokes the tokens at the authorization server of the upstream, and deletes them. No client may use the account any more. */
  async disconnect(upstream: AccountUpstream, principal: Principal): Promise<void> {
    await this.#consents.clear(targetOf(upstream), principal);
    await this.onWithdrawn(upstream.name, principal, undefined);
    await this.#oauth(upstream, principal, false).signOut(upstream.url);
  }

  /** Disconnects all accounts of a user. */
  async revoke(principal: Principal): Promise<void> {
    if (principal.issuer !== this.issuer) return;
    for (const upstream of this.#upstreams.values()) await this.disconnect(upstream, principal);
  }

  /**
   * Every upstream has a redirect URI of its own: an authorization server that claims to be another one would get codes of the
   * other only for an address that is not registered there.
   */
  redirectUri(name: string): string {
    return `${this.#pageUrl}/callback/${encodeURIComponent(name)}`;
  }

  #oauth({ name, auth, secrets, fetch }: AccountUpstream, { key }: Principal, signsIn: boolean): OAuth {
    const { clientId, issuer, secret, scopes } = auth as Readonly<Record<string, string | undefined>>;
    const clientSecret = secret === undefined ? undefined : secrets.get(secret);
    return oauth({
      store: scopedCredentials(this.#store, { principal: key, upstream: name }),
      fetch,
      ...(signsIn && { signIn: { redirectUri: this.redirectUri(name) } }),
      ...(clientId !== undefined && {
        client: {
          clientId,
          ...(issuer !== undefined && { issuer }),
          ...(clientSecret !== undefined && { clientSecret }),
        },
      }),
      ...(scopes !== undefined && { scopes: scopes as unknown as readonly string[] }),
    });
  }

  #notConnected(name: string, principal: Principal): TenonError {
    const client = clientIdOf(principal);
    const ticket = this.#tickets.create({ upstream: name, subject: principal.subject, client });
    const url = `${this.#pageUrl}/to/${encodeURIComponent(name)}?ticket=${ticket}`;
    const onConnected = (listener: () => void): (() => void) => this.#onConnected(name, principal, listener);
    return new TenonError('sign-in-required', `Connect your account for "${name}" first: open ${url}`, {
      details: { upstream: name, client, connectUrl: url, onConnected },
    });
  }

  /** Once the user has connected the account at this node, for this client. Returns a function that stops it. */
  #onConnected(name: string, principal: Principal, listener: () => void): () => void {
    const key = waitingKey(name, principal, clientIdOf(principal));
    const listeners = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, listeners.add(listener));
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#waiting.delete(key);
    };
  }
}

const waitingKey = (name: string, { key }: Principal, client: string): string => JSON.stringify([name, key, client]);

const targetOf = ({ name, url, auth }: AccountUpstream): ConsentTarget => ({
  name,
  url,
  scopes: (auth.scopes ?? []) as readonly string[],
});

/** An API key names no user of the issuer, and a caller without a principal has no account. */
const withoutAccount = (name: string): TenonError =>
  new TenonError('sign-in-required', `The upstream "${name}" needs an account of the user, and this caller has none.`, {
    hint: 'Sign in with an access token of the issuer of the gateway.',
    details: { upstream: name },
  });

const refusing = (error: () => TenonError): ClientAuth => ({
  forServer: () => ({
    headers: () => undefined,
    refused: async () => {
      throw error();
    },
  }),
});

/** What the upstream says to a request without credentials. Some servers name their metadata there alone. */
async function challengeOf({ url, fetch }: AccountUpstream, signal: AbortSignal) {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' }).catch(
    () => undefined,
  );
  await response?.body?.cancel();
  const challenge = response?.status === 401 ? response.headers.get('www-authenticate') : null;
  return {
    method: 'POST' as const,
    url,
    status: 401,
    challenges: challenge === null ? [] : [challenge],
    header: () => undefined,
    operation: 'connect',
    sent: undefined,
    done: [],
  };
}
