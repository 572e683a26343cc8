/** The options of `oauth`, the rules of those that are no numbers, and the limit that is fixed. */
import { has, isTexts, type Rule } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { CredentialStore } from '../../store/credential-store.ts';
import { isRedirectUri } from '../secure-url.ts';
import type { RedirectSignIn } from './grants/authorization-code.ts';
import type { Grant } from './grants/grant.ts';
import type { OAuthClient } from './registration/client.ts';
import type { ClientMetadata } from './registration/metadata.ts';
import type { SignIn } from './sign-in.ts';
import type { AuthStep } from './steps.ts';
import type { Quirks } from './tokens/quirks.ts';

/**
 * Time limits of `oauth`.
 * @area credentials
 */
export interface OAuthTimeouts {
  /**
   * How long a person may take to sign in; also a device code, and a function that returns an assertion.
   * @default 5 min
   * @beyond the call fails
   * @code authorization-failed
   */
  readonly signInMs?: number;
  /**
   * How long one request to an authorization server may take; `signOut` waits as long for a refresh or sign-in that is under way, then deletes the tokens without waiting.
   * @default 10 s
   * @beyond the step fails
   * @code authorization-failed
   */
  readonly requestMs?: number;
}

/**
 * Limits of `oauth`: none that is set.
 * @area credentials
 */
// biome-ignore lint/suspicious/noEmptyInterface: a fixed limit names the interface whose option it would be.
export interface OAuthLimits {}

/**
 * Authorizations for one operation of a server within 10 minutes.
 * @limit OAuthLimits.maxAuthorizations
 * @beyond the call fails
 * @code authorization-failed
 */
export const maxAuthorizations = 3;

/**
 * The options of `oauth`.
 * @area credentials
 * @of `oauth`
 */
export interface OAuthOptions {
  /**
   * How a person signs in: a terminal sign-in, or the route of a web application.
   * @default off, the call fails with `sign-in-required`
   * @rule signInRule
   */
  readonly signIn?: SignIn | RedirectSignIn;
  /**
   * Where tokens and registrations are stored.
   * @default computed in the memory of this process
   * @rule credentialStore
   */
  readonly store?: CredentialStore;
  /**
   * The client that you have registered at the authorization server.
   * @default off
   */
  readonly client?: OAuthClient;
  /**
   * The https URL of your client id metadata document, which `clientMetadataDocument()` makes. It is the client id where the authorization server supports that.
   * @default off
   * @rule metadataUrl
   */
  readonly clientMetadataUrl?: string;
  /**
   * What the client says about itself where it is registered dynamically.
   */
  readonly clientMetadata?: ClientMetadata;
  /**
   * The scopes to request.
   * @default computed those of the challenge, otherwise all that the server lists
   * @rule scopesToRequest
   */
  readonly scopes?: readonly string[];
  /**
   * How tokens are obtained.
   * @default computed authorization code with PKCE
   * @rule grantRule
   */
  readonly grant?: Grant;
  /**
   * Whether tokens are bound to a key (DPoP), so that a stolen token is of no use. True fails where that is not possible.
   * @default computed where the server asks for it and its authorization server supports it
   */
  readonly dpop?: boolean;
  /**
   * How an authorization server differs from the specification. What is not set is found out by its errors.
   */
  readonly quirks?: Quirks;
  /**
   * Called with every step: what was requested, found and decided. It has no secrets.
   * @default off
   */
  readonly explain?: (step: AuthStep) => void;
  /** Time limits. */
  readonly timeouts?: OAuthTimeouts;
  /** Limits on authorizations. */
  readonly limits?: OAuthLimits;
  /**
   * Sends the requests to authorization servers, for example one of a URL guard.
   * @default computed `fetch` with the proxies and `ca` of the target
   */
  readonly fetch?: (url: string, init?: RequestInit) => Promise<Response>;
}

export const signInRule: Rule = {
  holds: (value) => has(value, 'prepare') || (isRecord(value) && isRedirectUri(value.redirectUri)),
  must: "be a sign-in such as { redirectUri: 'https://app.example/callback' }, which is https or on this machine",
};

export const credentialStore: Rule = {
  holds: (value) => ['read', 'swap', 'lock'].every((name) => has(value, name)),
  must: 'have the methods read, swap and lock, as `credentials` of createMemoryStore() has',
};

export const scopesToRequest: Rule = { holds: isTexts, must: "be a list of scopes such as ['files:read']" };

export const grantRule: Rule = {
  holds: (value) => has(value, 'obtain'),
  must: 'be a grant, such as clientCredentials() returns',
};
