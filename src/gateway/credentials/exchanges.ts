/** Tokens for upstreams that the issuer of the callers gives for their own: each belongs to one user, one client with the scopes of its token, and one upstream. */
import type { TokenGrant } from '../../auth/client/grants/grant.ts';
import { tokenExchange } from '../../auth/client/grants/token-exchange.ts';
import { type OAuth, oauth } from '../../auth/client/oauth.ts';
import type { InboundTokens } from '../../auth/resource/inbound-tokens.ts';
import type { AuthHeaders, AuthRefusal, AuthRequestInfo, ServerAuth } from '../../client/http/port/client-auth.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Principal } from '../../ports/principal.ts';
import { rightsOf } from '../connections/owner.ts';
import type { ConnectionOwner, UpstreamAuth } from '../types.ts';

/** An upstream that gets exchanged tokens. */
export interface ExchangeUpstream {
  readonly name: string;
  readonly url: string;
  /** Of the callers, and where the client of the gateway is registered. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
}

/**
 * Users of an upstream, each with a client, whose exchanged tokens are stored in memory.
 * @limit gateway
 * @beyond the token of the one that was not used for the longest time is exchanged again
 */
const maxExchanged = 10_000;

/**
 * Pause after the issuer gave no token for a caller, unless the caller sends another token.
 * @limit gateway
 * @beyond its calls get the same error
 */
const failurePauseMs = 10_000;

export class Exchanges {
  readonly #tokens: InboundTokens;
  /** Those of the file before, too, while a connection uses them. */
  readonly #upstreams = new Set<WeakRef<UpstreamExchange>>();

  constructor(tokens: InboundTokens) {
    this.#tokens = tokens;
  }

  /** The option `auth` of an upstream. It has no tokens of an earlier one of this name. */
  authFor(upstream: ExchangeUpstream): UpstreamAuth {
    const own = new UpstreamExchange(upstream, this.#tokens);
    for (const one of this.#upstreams) if (one.deref() === undefined) this.#upstreams.delete(one);
    this.#upstreams.add(new WeakRef(own));
    return (owner) => ({ forServer: (url, fetch) => own.credentials(owner, url, fetch) });
  }

  /** Deletes the tokens of a principal, by its `key`, and revokes them where the issuer can. */
  async revoke(principal: string): Promise<void> {
    await Promise.all([...this.#upstreams].map((one) => one.deref()?.revoke(principal)));
  }
}

/** One user with one client, and with the scopes of its tokens. */
interface Exchanged {
  readonly auth: OAuth;
  readonly principal: string;
  /** That of the last request with a token: nothing else here may keep the token of a caller who has left. */
  caller: WeakRef<Principal>;
}

class UpstreamExchange {
  readonly #upstream: ExchangeUpstream;
  readonly #tokens: InboundTokens;
  /** In the order of their last use. */
  readonly #known = new Map<string, Exchanged>();
  /** By the principals, each of which has one token. */
  readonly #failures = new WeakMap<Principal, { readonly error: TenonError; readonly until: number }>();

  constructor(upstream: ExchangeUpstream, tokens: InboundTokens) {
    this.#upstream = upstream;
    this.#tokens = tokens;
  }

  credentials(owner: ConnectionOwner, url: string, fetch: typeof globalThis.fetch | undefined): ServerAuth {
    let used: { readonly of: Exchanged; readonly auth: ServerAuth } | undefined;
    /** Those of the caller whose request is sent now: they are made anew once its tokens were forgotten. */
    const current = (): { readonly caller: Principal; readonly auth: ServerAuth } => {
      const caller = this.#callerOf(owner);
      const of = this.#of(caller);
      if (used?.of !== of) used = { of, auth: of.auth.forServer(url, fetch) };
      return { caller, auth: used.auth };
    };
    return {
      headers: async (request: AuthRequestInfo): Promise<AuthHeaders | undefined> => current().auth.headers(request),
      refused: async (refusal: AuthRefusal, signal: AbortSignal): Promise<boolean> => {
        const { caller, auth } = current();
        return this.#remembered(caller, signal, () => auth.refused(refusal, signal));
      },
      received: (header) => used?.auth.received?.(header),
    };
  }

  async revoke(principal: string): Promise<void> {
    const own = [...this.#known].filter(([, one]) => one.principal === principal);
    for (const [key] of own) this.#known.delete(key);
    await Promise.all(own.map(([, { auth }]) => auth.signOut(this.#upstream.url)));
  }

  /** An API key names no user of the issuer, and another issuer would be sent a token that is not its own. */
  #callerOf({ principal }: ConnectionOwner): Principal {
    const { name, issuer } = this.#upstream;
    if (principal?.issuer === issuer) return principal;
    throw new TenonError(
      'sign-in-required',
      `The upstream "${name}" needs a caller with an access token of ${issuer}, and this one has none.`,
      { hint: 'Sign in there: API keys and tokens of other issuers are not exchanged.', details: { upstream: name } },
    );
  }

  #of(caller: Principal): Exchanged {
    const key = JSON.stringify([caller.key, ...rightsOf(caller)]);
    const known = this.#known.get(key) ?? this.#created(caller);
    if (this.#tokens.of(caller) !== undefined) known.caller = new WeakRef(caller);
    this.#known.delete(key);
    this.#known.set(key, known);
    const [leastUsed = key] = this.#known.keys();
    if (this.#known.size > maxExchanged) this.#known.delete(leastUsed);
    return known;
  }

  #created(caller: Principal): Exchanged {
    const { clientId, clientSecret, issuer, scopes, audience, fetch } = this.#upstream;
    const subjectToken = (): string => this.#tokenOf(created.caller.deref());
    const exchange = tokenExchange({ issuer, audience, subjectToken });
    const grant: TokenGrant = {
      ...exchange,
      // Also where a token is renewed ahead of time: the refusal that follows is not sent to the issuer again.
      obtain: (context) => this.#remembered(created.caller.deref(), context.signal, () => exchange.obtain(context)),
    };
    const client = { clientId, clientSecret, issuer };
    const auth = oauth({ client, grant, fetch, ...(scopes !== undefined && { scopes }) });
    const created: Exchanged = { auth, principal: caller.key, caller: new WeakRef(caller) };
    return created;
  }

  #tokenOf(caller: Principal | undefined): string {
    const { name } = this.#upstream;
    const token = caller && this.#tokens.of(caller);
    if (token !== undefined && (caller?.expiresAt ?? Number.POSITIVE_INFINITY) > Date.now()) return token;
    const why = token === undefined ? 'is not known any more' : 'has expired';
    throw new TenonError(
      'sign-in-required',
      `The access token of the caller ${why}: the upstream "${name}" needs it.`,
      {
        hint: 'Send a request with a valid token first.',
        details: { upstream: name },
      },
    );
  }

  /** Whatever fails is not asked for again at once. */
  async #remembered<T>(caller: Principal | undefined, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
    const before = caller && this.#failures.get(caller);
    if (before !== undefined && Date.now() < before.until) throw before.error;
    try {
      return await run();
    } catch (cause) {
      if (signal.aborted) throw cause;
      if (cause instanceof TenonError && cause.details.step === 'challenge') throw this.#notAccepted(cause);
      const error = cause instanceof TenonError && 'upstream' in cause.details ? cause : this.#failed(cause);
      if (caller !== undefined) this.#failures.set(caller, { error, until: Date.now() + failurePauseMs });
      throw error;
    }
  }

  /** The upstream refuses what the issuer gave: another token would not help. */
  #notAccepted(cause: TenonError): TenonError {
    const { name, issuer } = this.#upstream;
    const text = `The upstream "${name}" does not accept the token that ${issuer} gave for it.`;
    return new TenonError('authorization-failed', text, { hint: cause.message, details: { upstream: name }, cause });
  }

  /** The code of the issuer says what to change there. Its other words are for the operator: they are in the hint. */
  #failed(cause: unknown): TenonError {
    const { name, issuer } = this.#upstream;
    const code = cause instanceof TenonError ? cause.details.error : undefined;
    const why = typeof code === 'string' && /^[a-z_]{1,64}$/.test(code) ? ` (${code})` : '';
    return new TenonError('authorization-failed', `${issuer} gave no token for the upstream "${name}"${why}.`, {
      hint: cause instanceof Error ? cause.message : String(cause),
      details: { upstream: name },
      cause,
    });
  }
}
