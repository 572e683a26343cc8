/** The options of `authorizationServer`, and the rules of those whose types say too little. */

import { isSecureUrl } from '../auth/secure-url.ts';
import type { PageTexts } from '../auth-pages/index.ts';
import { isTexts, type Rule } from '../lib/options/option-rules.ts';
import { parseUrl } from '../lib/text/parse-url.ts';
import { isFilledString, isRecord } from '../lib/values/is.ts';
import type { Store } from '../store/store.ts';
import { type KnownClient, knownClientProblem } from './clients/known-client.ts';
import type { AuthorizationServerEvent } from './events.ts';
import type { ProviderUser, SignInProvider } from './providers/sign-in-provider.ts';

/** A client as `allow` gets it. */
export interface RequestingClient {
  /** Its identifier: for a client with a metadata document the URL of the document. */
  readonly id: string;
  /** Its name, which anyone could have chosen unless the client is known. */
  readonly name: string;
}

/**
 * Which clients may ask users for access.
 * @area auth-server
 */
export interface AllowedClients {
  /**
   * Whether clients may register themselves (RFC 7591). Nothing is stored for it: the client ID has the metadata, encrypted.
   * @default true
   */
  readonly registration?: boolean;
  /**
   * Whether clients may be named by the URL of their metadata document; a list: only those of these hosts.
   * @default true
   * @rule documentHosts
   */
  readonly documents?: boolean | readonly string[];
  /**
   * Clients that are registered from the start.
   * @default []
   * @rule knownClients
   */
  readonly known?: readonly KnownClient[];
}

/**
 * How long things are valid. Whole seconds; the rest is rounded up.
 * @area auth-server
 */
export interface AuthorizationLifetimes {
  /**
   * How long an access token is valid.
   * @default 10 min
   * @beyond it is refused
   */
  readonly accessTokenMs?: number;
  /**
   * How long a refresh token is valid that is not used.
   * @default 14 days
   * @most none
   * @beyond the user signs in again
   */
  readonly refreshTokenMs?: number;
  /**
   * How long a client keeps its access, however often it refreshes.
   * @default 90 days
   * @most none
   * @beyond the user signs in again
   */
  readonly grantMs?: number;
  /**
   * How long a refresh request that is repeated, unchanged, gets the response again: a client may have lost it.
   * @default 30 s
   * @beyond the refresh token counts as stolen, and all access of the client ends
   */
  readonly refreshGraceMs?: number;
  /**
   * How often the provider is asked whether the user still has the account, at most. It is asked when a client refreshes.
   * @default 10 min
   */
  readonly providerCheckMs?: number;
}

/**
 * The options of `authorizationServer`.
 * @area auth-server
 */
export interface AuthorizationServerOptions {
  /**
   * Where users sign in: `google(…)`, `github(…)`, `entra(…)`, `okta(…)`, `keycloak(…)`, or a provider of your own.
   * @rule signInProviderRule
   */
  readonly signIn: SignInProvider;
  /**
   * Secrets of this server, each of 32 characters or more, the same on all nodes: the first encrypts, the others still
   * decrypt. Registered clients last as long as the secret that was first when they registered.
   * @rule secretList
   */
  readonly secrets: readonly string[];
  /**
   * The URLs of the servers that tokens are issued for.
   * @default computed `resource` of each `protect` with this server as `issuer`
   * @rule resourceList
   */
  readonly resources?: readonly string[];
  /**
   * The scopes that clients can ask for.
   * @default computed those of each `protect` with this server as `issuer`
   * @rule scopeNames
   */
  readonly scopes?: readonly string[];
  /**
   * Its own URL, without a path: what tokens have as `iss`, and what its pages and endpoints are below.
   * @default computed the origin of the first resource
   * @rule issuerOrigin
   */
  readonly issuer?: string;
  /**
   * Where accounts, grants and refresh tokens are stored, encrypted with `secrets`: a store, or a URL such as `redis://…`.
   * @default computed the store of the service that `protect` is for, otherwise memory of this process
   * @rule authorizationStore
   */
  readonly store?: Store | string;
  /** Which clients may ask users for access. */
  readonly clients?: AllowedClients;
  /**
   * Whether a user may use a client, or with which scopes. Called after the sign-in at the provider, and at each refresh.
   * @default computed every user of the provider may
   */
  readonly allow?: (
    user: ProviderUser,
    client: RequestingClient,
  ) => boolean | readonly string[] | Promise<boolean | readonly string[]>;
  /** How long things are valid. */
  readonly lifetimes?: AuthorizationLifetimes;
  /**
   * Whether a user is asked at every sign-in, or not again for 8 hours for the same client, redirect URI and scopes.
   * @default 'always'
   */
  readonly consent?: 'always' | 'remember';
  /**
   * Texts of the pages, in your words or another language.
   * @default off
   * @rule pageTexts
   */
  readonly texts?: Partial<PageTexts>;
  /**
   * Sends the requests to the provider, for example through a proxy.
   * @default computed `fetch`
   */
  readonly fetch?: (url: string, init?: RequestInit) => Promise<Response>;
  /**
   * Called with what happens: sign-ins, tokens, refusals, failures with their cause. Events contain no token and no code.
   * @default off
   */
  readonly onEvent?: (event: AuthorizationServerEvent) => void;
}

/**
 * How long a key signs access tokens; all nodes change it without a restart.
 * @limit AuthorizationServerOptions.signingKeyMs
 * @beyond the next key signs
 */
export const signingKeyMs = 2_592_000_000;

/**
 * How long a key is published before it signs: servers that verify tokens have it by then.
 * @limit AuthorizationServerOptions.publishedKeyMs
 * @beyond it signs
 */
export const publishedKeyMs = 86_400_000;

const isEach =
  (holds: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.length > 0 && value.every(holds);

export const signInProviderRule: Rule = {
  holds: isRecord,
  must: 'be a provider, such as github({ clientId, clientSecret })',
};

const leastSecret = 32;
const maxSecrets = 16;

export const secretList: Rule = {
  holds: (value) =>
    isTexts(value) &&
    (value as string[]).length > 0 &&
    (value as string[]).length <= maxSecrets &&
    (value as string[]).every((secret) => secret.length >= leastSecret),
  must: `be a list of 1 to ${maxSecrets} secrets of ${leastSecret} characters or more, such as from openssl rand -base64 32`,
};

export const resourceList: Rule = {
  holds: isEach((value) => isSecureUrl(value) && !value.includes('#')),
  must: "be a list of URLs such as ['https://mcp.example.com/mcp'], without fragments",
};

export const scopeNames: Rule = {
  holds: (value) =>
    Array.isArray(value) && value.every((one) => typeof one === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(one)),
  must: "be a list of scopes such as ['files:read'], without spaces, quotes and backslashes",
};

export const issuerOrigin: Rule = {
  holds: (value) => isSecureUrl(value) && new URL(value).origin === value,
  must: "be an https URL without a path and a final slash, such as 'https://mcp.example.com'; http on loopback alone",
};

export const authorizationStore: Rule = {
  holds: (value) => isRecord(value) || typeof value === 'string',
  must: "be a store, or a URL such as 'sqlite:./tenon.db' or 'redis://localhost:6379'",
};

export const documentHosts: Rule = {
  holds: (value) =>
    typeof value === 'boolean' ||
    isEach((host) => typeof host === 'string' && parseUrl(`https://${host}`)?.host === host)(value),
  must: "be true, false, or a list of hosts such as ['client.example.com']",
};

export const knownClients: Rule = {
  holds: (value) => Array.isArray(value) && value.every((one) => knownClientProblem(one) === undefined),
  must: 'be a list of { clientId, name, redirectUris, clientSecret }, each with an ID of its own kind',
  entry: (one) => {
    const problem = knownClientProblem(one);
    return problem === undefined ? undefined : { problem };
  },
};

export const pageTexts: Rule = {
  holds: (value) => isRecord(value) && Object.values(value).every(isFilledString),
  must: "be an object of texts such as { allow: 'Erlauben' }",
};
