/** The credentials for one server: read from the store, renewed before they expire, and when they are refused. */
import type { AuthHeaders, AuthRefusal, ServerAuth } from '../../../client/http/port/client-auth.ts';
import type { TenonError } from '../../../lib/errors/tenon-error.ts';
import { type Challenge, readChallenges, tokenChallenge } from '../discovery/challenge.ts';
import type { Discovery } from '../discovery/documents.ts';
import {
  type Authority,
  type AuthorizationNeed,
  authorize,
  clientOf,
  findAuthority,
  findServer,
  startDiscovery,
  tokenEndpoint,
} from '../flows/authorization.ts';
import { type BindingKey, readRecord, type StoredServer, type StoredTokens, serverKey, tokensKey } from '../records.ts';
import { scopesIn } from '../scopes.ts';
import type { ResolvedOptions } from '../settings.ts';
import { refresh } from '../tokens/stored-tokens.ts';
import { Attempts } from './attempts.ts';
import { JoinedRun } from './joined-run.ts';

type State =
  /** The store was not read yet. */
  | { readonly is: 'unread' }
  | { readonly is: 'empty' }
  | { readonly is: 'held'; readonly tokens: StoredTokens; readonly headers: AuthHeaders };

const unread: State = { is: 'unread' };
const empty: State = { is: 'empty' };
const held = (tokens: StoredTokens): State => ({
  is: 'held',
  tokens,
  headers: { authorization: `${tokens.tokenType === 'dpop' ? 'DPoP' : 'Bearer'} ${tokens.accessToken}` },
});

export class ServerCredentials implements ServerAuth {
  readonly #options: ResolvedOptions;
  readonly #url: string;
  readonly #attempts: Attempts;
  #state: State = unread;
  /** Metadata of the authorization server that the tokens are from. */
  #authority: Authority | undefined;
  /** After a renewal ahead of time has failed, the next is not tried before: every call would wait for it. */
  #aheadAfter = 0;
  /** What is under way: a renewal ahead of time, or the answer to a refusal. */
  #running: JoinedRun<unknown> | undefined;

  constructor(options: ResolvedOptions, url: string) {
    this.#options = options;
    this.#url = url;
    this.#attempts = new Attempts(options.maxAuthorizations);
  }

  headers(): AuthHeaders | undefined | Promise<AuthHeaders | undefined> {
    const state = this.#state;
    if (state.is === 'empty') return undefined;
    if (state.is === 'unread') return this.#load().then(() => this.headers());
    const { refreshAt, refreshToken } = state.tokens;
    if (refreshAt === undefined || (refreshToken === undefined && this.#options.grant.asksPerson)) return state.headers;
    const now = Date.now();
    return now < refreshAt || now < this.#aheadAfter ? state.headers : this.#renewAhead(state.headers);
  }

  async refused(refusal: AuthRefusal, signal: AbortSignal): Promise<boolean> {
    const { done } = refusal;
    if (done.length >= maxAnswers) throw this.#unsatisfied(refusal);
    // Others may have new tokens already, or be about to get them.
    const running = this.#current;
    if (running !== undefined && !done.includes('waited')) {
      done.push('waited');
      await running.join(signal);
      return true;
    }
    if (this.#state.is === 'held' && this.#state.headers.authorization !== refusal.sent?.authorization) {
      done.push('newer');
      return true;
    }
    await this.#run((own) => this.#answer(refusal, own), signal);
    return true;
  }

  /** The key that the tokens are bound to, if they are. */
  get bindingKey(): BindingKey | undefined {
    return this.#state.is === 'held' ? this.#state.tokens.bindingKey : undefined;
  }

  /** Forgets the tokens of this server; the store is changed by the caller. */
  forget(): void {
    this.#state = empty;
    this.#authority = undefined;
  }

  /** Reads the store again. */
  async reload(): Promise<void> {
    this.#state = unread;
    await this.#load();
  }

  async #load(): Promise<void> {
    const { store } = this.#options;
    const known = await readRecord<StoredServer>(store, serverKey(this.#url));
    const tokens = known && (await readRecord<StoredTokens>(store, tokensKey(known.issuer, known.resource)));
    if (this.#state.is === 'unread') this.#state = tokens === undefined ? empty : held(tokens);
  }

  get #current(): JoinedRun<unknown> | undefined {
    return this.#running?.isAbandoned === false ? this.#running : undefined;
  }

  async #run(run: (signal: AbortSignal) => Promise<unknown>, signal?: AbortSignal): Promise<unknown> {
    const running = new JoinedRun<unknown>((own) =>
      run(own).finally(() => {
        if (this.#running === running) this.#running = undefined;
      }),
    );
    this.#running = running;
    return running.join(signal);
  }

  /** A failure is no failure of the request: the token may still be accepted, and a refusal is answered. */
  async #renewAhead(headers: AuthHeaders): Promise<AuthHeaders | undefined> {
    try {
      const running = this.#current;
      if (running === undefined) await this.#run((signal) => this.#renew(this.#start(signal)));
      else await running.join();
    } catch {
      // The token may be accepted for a while.
    }
    if (this.#state.is !== 'held') return undefined;
    if (this.#state.headers === headers) this.#aheadAfter = Date.now() + aheadPauseMs;
    return this.#state.headers;
  }

  /** A program without a person gets new tokens as it got the first. */
  async #renew(discovery: Discovery): Promise<void> {
    if ((await this.#refreshTokens(discovery)) || this.#options.grant.asksPerson) return;
    const authority = await this.#knownAuthority(discovery);
    const refused = this.#state.is === 'held' ? this.#state.tokens.accessToken : undefined;
    const need: AuthorizationNeed = { challenge: undefined, challenged: undefined, refused, isAhead: true };
    if (authority !== undefined && refused !== undefined)
      this.#state = held(await authorize(discovery, this.#options, this.#url, authority, need));
  }

  #start(signal: AbortSignal): Discovery {
    return startDiscovery(this.#options, this.#url, signal);
  }

  /** A 401 is answered by a refresh if there is a token to redeem, otherwise by an authorization; a 403 by one for more scopes. */
  async #answer(refusal: AuthRefusal, signal: AbortSignal): Promise<void> {
    const { status, done, sent } = refusal;
    const discovery = this.#start(signal);
    const challenge = tokenChallenge(readChallenges(refusal.challenges));
    const challenged = scopesIn(challenge?.parameters.scope);
    const isStepUp = status === 403;
    const kind = isStepUp ? 'step-up' : 'authorization';
    discovery.steps.add({
      step: 'challenge',
      url: this.#url,
      status,
      found:
        challenge === undefined ? 'The server sent no challenge.' : challengeText(challenged, challenge.parameters),
      rule: isStepUp ? 'RFC 6750, 3.1: insufficient_scope' : 'RFC 6750, 3: an access token is needed',
      next: isStepUp ? 'request more scopes' : 'find the authorization server',
    });
    if (done.includes(kind)) throw this.#unsatisfied(refusal, discovery);
    const authority = await this.#authorityFor(discovery, challenge, isStepUp);
    const state = this.#state;
    const before = state.is === 'held' ? state.tokens : undefined;
    const isSame = this.#authority === undefined || this.#authority.server.issuer === authority.server.issuer;
    this.#authority = authority;
    if (!isStepUp && isSame && before !== undefined && !done.includes('refresh')) {
      done.push('refresh');
      if (await this.#refreshTokens(discovery)) return;
    }
    if (isStepUp && before !== undefined && challenged?.every((scope) => before.granted.includes(scope)))
      throw this.#unsatisfied(refusal, discovery);
    done.push(kind);
    // Programs without refresh tokens start again whenever a token expires, which says nothing of the server. Clocks differ.
    // A person is asked as rarely as ever: a server could name any moment.
    const now = Date.now();
    const hasExpired = before?.refreshAt !== undefined && before.refreshAt <= now;
    const isExpected = hasExpired && !this.#options.grant.asksPerson;
    if (!isExpected && !this.#attempts.admit(refusal.operation, now)) throw this.#tooMany(refusal, discovery);
    const refused = sent === undefined ? undefined : before?.accessToken;
    const need: AuthorizationNeed = { challenge, challenged, refused, isAhead: false };
    this.#state = held(await authorize(discovery, this.#options, this.#url, authority, need));
  }

  /** Resolves to whether there are fresh tokens. */
  async #refreshTokens(discovery: Discovery): Promise<boolean> {
    const state = this.#state;
    if (state.is !== 'held') return false;
    const authority = await this.#knownAuthority(discovery);
    if (authority === undefined) return false;
    const { server, resource } = authority;
    const refreshed = await refresh({
      server,
      resource,
      store: this.#options.store,
      stale: state.tokens.accessToken,
      clientOf: (tokens) => clientOf(this.#options, server.issuer, tokens),
      signal: discovery.signal,
      endpointFor: ({ bindingKey }) => tokenEndpoint(discovery, this.#options, authority, bindingKey),
    });
    if (refreshed.is === 'fresh') this.#state = held(refreshed.tokens);
    return refreshed.is === 'fresh';
  }

  /** A token that lacks scopes only is from the right authorization server; a message that says so names no metadata. */
  async #authorityFor(discovery: Discovery, challenge: Challenge | undefined, isStepUp: boolean): Promise<Authority> {
    const isNamed = challenge?.parameters.resource_metadata !== undefined;
    const known = isStepUp && !isNamed ? await this.#knownAuthority(discovery) : undefined;
    return known ?? findAuthority(discovery, this.#options, this.#url, challenge);
  }

  /** The authorization server of stored tokens. */
  async #knownAuthority(discovery: Discovery): Promise<Authority | undefined> {
    if (this.#authority !== undefined) return this.#authority;
    const known = await readRecord<StoredServer>(this.#options.store, serverKey(this.#url));
    const server = known && (await findServer(discovery, this.#url, known.issuer));
    if (known === undefined || server === undefined) return undefined;
    this.#authority = { server, resource: known.resource, scopes: undefined };
    return this.#authority;
  }

  #tooMany({ status, operation }: AuthRefusal, { steps }: Discovery): TenonError {
    const { maxAuthorizations } = this.#options;
    return steps.failure({
      step: 'challenge',
      url: this.#url,
      status,
      found: `The server asked for more than ${maxAuthorizations} authorizations for ${operation} within 10 minutes.`,
      rule: 'MCP: retries are limited for each resource and operation',
      hint: `Check which tokens the server accepts. maxAuthorizations is fixed at ${maxAuthorizations}.`,
      details: { operation, maxAuthorizations },
    });
  }

  #unsatisfied(
    { status, operation, done, challenges, sent }: AuthRefusal,
    discovery = this.#start(new AbortController().signal),
  ): TenonError {
    const isScope = status === 403;
    const got = isScope ? 'the scopes that it asked for' : 'a new token';
    return discovery.steps.failure({
      step: 'challenge',
      url: this.#url,
      status,
      found: `The server refuses ${operation} although it got ${got}.${reasonIn(challenges, sent)}`,
      rule: 'MCP: retries are limited for each resource and operation',
      hint: isScope
        ? 'Check which scopes the authorization server grants to this client and person.'
        : 'Check that the server accepts tokens of this issuer, and that their audience is its resource.',
      code: isScope ? 'forbidden' : 'authorization-failed',
      details: { operation, tried: [...done] },
    });
  }
}

/** What the server says, without the token. */
function reasonIn(challenges: AuthRefusal['challenges'], sent: AuthRefusal['sent']): string {
  const { error_description: said } = tokenChallenge(readChallenges(challenges))?.parameters ?? {};
  const token = sent?.authorization?.split(' ').at(-1);
  if (said === undefined || said === '') return '';
  return ` It says: ${(token ? said.replaceAll(token, '[masked]') : said).slice(0, 300)}`;
}

/**
 * Pause after a token could not be renewed ahead of time.
 * @limit credentials
 * @beyond the old token is sent meanwhile
 */
const aheadPauseMs = 10_000;

/**
 * Attempts for one request: waiting, a newer token, refresh, authorization, more scopes.
 * @limit credentials
 * @default 1 of each
 * @beyond the call fails
 * @code authorization-failed, forbidden
 */
const maxAnswers = 6;

function challengeText(scopes: readonly string[] | undefined, { error }: Readonly<Record<string, string>>): string {
  const why = error === undefined ? 'It wants an access token' : `It answered ${error.slice(0, 100)}`;
  return scopes === undefined ? `${why}.` : `${why}, for ${scopes.join(' ')}.`;
}
