/** The credentials of one user at one upstream: read again from the store, since the user connects in a browser, maybe at another node. */
import type {
  AuthHeaders,
  AuthRefusal,
  AuthRequestInfo,
  ClientAuth,
  ServerAuth,
} from '../../client/http/port/client-auth.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';

/**
 * How long an account may still be used here that the user has disconnected, or taken from a client, at another node.
 * @limit gateway
 */
export const rereadMs = 30_000;

export interface AccountAuthPorts {
  /** Credentials that have read nothing yet. */
  create(): ClientAuth;
  /** Whether the user lets this client use the account, as the store has it now. */
  isAllowed(): Promise<boolean>;
  /** Another number once this node has changed that. */
  readonly version: () => number;
  /** The error of a call while the account is not connected, or not allowed for this client. */
  notConnected(): TenonError;
  readonly now: () => number;
}

export const accountAuth = (ports: AccountAuthPorts): ClientAuth => ({
  forServer: (url, fetch) => new AccountCredentials(() => ports.create().forServer(url, fetch), ports),
});

class AccountCredentials implements ServerAuth {
  readonly #create: () => ServerAuth;
  readonly #ports: AccountAuthPorts;
  #inner: ServerAuth;
  #readAt: number;
  /** When the client was last found allowed, and the version then. */
  #allowed: { readonly at: number; readonly version: number } | undefined;

  constructor(create: () => ServerAuth, ports: AccountAuthPorts) {
    this.#create = create;
    this.#ports = ports;
    this.#inner = create();
    this.#readAt = ports.now();
  }

  headers(request: AuthRequestInfo): AuthHeaders | undefined | Promise<AuthHeaders | undefined> {
    const { now, version } = this.#ports;
    const isKnown = this.#allowed?.version === version() && now() - this.#allowed.at <= rereadMs;
    return isKnown ? this.#headers(request) : this.#admit().then(() => this.#headers(request));
  }

  /** Rejects, so that nothing is sent, unless the user has allowed the client. */
  async #admit(): Promise<void> {
    const { now, version, isAllowed, notConnected } = this.#ports;
    const allowed = { at: now(), version: version() };
    if (!(await isAllowed())) throw notConnected();
    this.#allowed = allowed;
  }

  #headers(request: AuthRequestInfo): AuthHeaders | undefined | Promise<AuthHeaders | undefined> {
    if (this.#ports.now() - this.#readAt > rereadMs) this.#reread();
    return this.#inner.headers(request);
  }

  async refused(refusal: AuthRefusal, signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#inner.refused(refusal, signal);
    } catch (error) {
      if (!(error instanceof TenonError) || error.code !== 'sign-in-required') throw error;
      if (refusal.done.includes(reread)) throw this.#ports.notConnected();
      refusal.done.push(reread);
      this.#reread();
      const { method, url } = refusal;
      const found = await this.#inner.headers({ method, url });
      if (found !== undefined && found.authorization !== refusal.sent?.authorization) return true;
      throw this.#ports.notConnected();
    }
  }

  received(header: (name: string) => string | undefined): void {
    this.#inner.received?.(header);
  }

  #reread(): void {
    this.#inner = this.#create();
    this.#readAt = this.#ports.now();
  }
}

/** What was done for a request, beside the words of `oauth()`. */
const reread = 'reread';
