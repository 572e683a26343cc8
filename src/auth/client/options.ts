/** The options of `oauth`, and their checks. */

import {
  callback,
  checkOptions,
  count,
  duration,
  flag,
  group,
  has,
  isTexts,
  type Rule,
  type Rules,
  wrong,
} from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { CredentialStore } from '../../store/credentials/credential-store.ts';
import { memoryCredentials } from '../../store/credentials/memory.ts';
import { isRedirectUri } from '../secure-url.ts';
import { authorizationCode, type RedirectSignIn } from './grants/authorization-code.ts';
import type { Grant, TokenGrant } from './grants/grant.ts';
import { type OAuthClient, tokenEndpointAuthMethods } from './registration/client.ts';
import { type ClientMetadata, httpsUrl, metadataRules, metadataUrl, text } from './registration/metadata.ts';
import type { SignIn } from './sign-in.ts';
import type { AuthStep } from './steps.ts';
import type { Quirks } from './tokens/quirks.ts';

/** Time limits of `oauth`. */
export interface OAuthTimeouts {
  /** How long a person may take to sign in. Default 5 minutes. */
  readonly signInMs?: number;
  /** How long one request to an authorization server may take. Default 10 seconds. */
  readonly requestMs?: number;
}

/** Limits of `oauth`. */
export interface OAuthLimits {
  /** Authorizations for one operation of a server within 10 minutes; beyond it, the call fails. Default 3. */
  readonly maxAuthorizations?: number;
}

/** The options of `oauth`. */
export interface OAuthOptions {
  /** How a person signs in: a terminal sign-in, or the route of a web application. Default: the call fails with `sign-in-required`. */
  readonly signIn?: SignIn | RedirectSignIn;
  /** Where tokens and registrations are stored. Default: in the memory of this process. */
  readonly store?: CredentialStore;
  /** The client that you have registered at the authorization server. */
  readonly client?: OAuthClient;
  /** The https URL of your client id metadata document, which `clientMetadataDocument()` makes. It is the client id where the authorization server supports that. */
  readonly clientMetadataUrl?: string;
  /** What the client says about itself where it is registered dynamically. */
  readonly clientMetadata?: ClientMetadata;
  /** The scopes to request. Default: those of the challenge, otherwise all that the server lists. */
  readonly scopes?: readonly string[];
  /** How tokens are obtained. Default: authorization code with PKCE. */
  readonly grant?: Grant;
  /**
   * Whether tokens are bound to a key (DPoP), so that a stolen token is of no use. True fails where that is not possible.
   * Default: where the server asks for it and its authorization server supports it.
   */
  readonly dpop?: boolean;
  /** How an authorization server differs from the specification. Default: found out by its errors. */
  readonly quirks?: Quirks;
  /** Called with every step: what was requested, found and decided. It has no secrets. */
  readonly explain?: (step: AuthStep) => void;
  /** Time limits. */
  readonly timeouts?: OAuthTimeouts;
  /** Limits on authorizations. */
  readonly limits?: OAuthLimits;
  /** Sends the requests to authorization servers, for example one of a URL guard. Default: `fetch` with the proxies and `ca` of the target. */
  readonly fetch?: (url: string, init?: RequestInit) => Promise<Response>;
}

/** The options with their defaults. */
export interface ResolvedOptions {
  readonly client: OAuthClient | undefined;
  readonly clientMetadataUrl: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly explain: ((step: AuthStep) => void) | undefined;
  readonly store: CredentialStore;
  readonly clientMetadata: ClientMetadata;
  readonly grant: TokenGrant;
  readonly dpop: boolean | undefined;
  readonly quirks: Quirks;
  readonly signInMs: number;
  readonly requestMs: number;
  readonly maxAuthorizations: number;
  /** That of the user. */
  readonly fetch: OAuthOptions['fetch'];
  /** Those of targets, by the URL of the server. */
  readonly targetFetches: Map<string, typeof fetch>;
}

const oneOf = (...names: readonly string[]): Rule => ({
  holds: (value) => names.includes(value as string),
  must: `be ${names.map((name) => `'${name}'`).join(' or ')}`,
});

const clientRules: Rules & Record<keyof OAuthClient, Rule> = {
  clientId: text,
  clientSecret: text,
  privateKey: { holds: isRecord, must: 'be a CryptoKey, such as importPKCS8() of jose returns' },
  keyId: text,
  authMethod: oneOf(...tokenEndpointAuthMethods),
  issuer: httpsUrl,
};

const rules: Rules & Record<keyof OAuthOptions, Rule> = {
  signIn: {
    holds: (value) => has(value, 'prepare') || (isRecord(value) && isRedirectUri(value.redirectUri)),
    must: "be a sign-in such as { redirectUri: 'https://app.example/callback' }, which is https or on this machine",
  },
  store: {
    holds: (value) => ['read', 'swap', 'lock'].every((name) => has(value, name)),
    must: 'have the methods read, swap and lock, as `credentials` of createMemoryStore() has',
  },
  client: group(clientRules),
  clientMetadataUrl: metadataUrl,
  clientMetadata: group(metadataRules),
  scopes: { holds: (value) => isTexts(value), must: "be a list of scopes such as ['files:read']" },
  grant: { holds: (value) => has(value, 'obtain'), must: 'be a grant, such as clientCredentials() returns' },
  dpop: flag,
  quirks: group({
    resource: oneOf('omit'),
    refreshScope: oneOf('requested'),
    offlineAccess: oneOf('omit'),
    clientAuth: oneOf(...tokenEndpointAuthMethods),
  }),
  explain: callback,
  timeouts: group({ signInMs: duration, requestMs: duration }),
  limits: group({ maxAuthorizations: count }),
  fetch: callback,
};

const otherNames = {
  clientId: 'client.clientId',
  clientSecret: 'client.clientSecret',
  client_id: 'client.clientId',
  client_secret: 'client.clientSecret',
  redirectUri: 'signIn.redirectUri',
  redirectUrl: 'signIn.redirectUri',
  clientMetadataUri: 'clientMetadataUrl',
  scope: 'scopes',
  onStep: 'explain',
};

/** Throws `invalid-argument`. */
export function readOAuthOptions(options: OAuthOptions): ResolvedOptions {
  checkOptions('oauth()', options, rules, 'invalid-argument', otherNames);
  const { client, signIn, timeouts = {}, limits = {} } = options;
  if (client !== undefined && client.clientId === undefined)
    throw wrong('oauth()', 'client.clientId', 'be set: it is the client_id of the registered client');
  if (client?.authMethod === 'private_key_jwt' && client.privateKey === undefined)
    throw wrong('oauth()', 'client.privateKey', 'be set for private_key_jwt');
  const grant = (options.grant as TokenGrant | undefined) ?? authorizationCode(signIn);
  if (grant.needsSecret && client?.clientSecret === undefined && client?.privateKey === undefined)
    throw wrong('oauth()', 'client', 'have a clientSecret or a privateKey for clientCredentials()');
  return {
    client,
    clientMetadataUrl: options.clientMetadataUrl,
    scopes: options.scopes,
    explain: options.explain,
    store: options.store ?? memoryCredentials(),
    clientMetadata: options.clientMetadata ?? {},
    grant,
    dpop: options.dpop,
    quirks: options.quirks ?? {},
    signInMs: timeouts.signInMs ?? 300_000,
    requestMs: timeouts.requestMs ?? 10_000,
    maxAuthorizations: limits.maxAuthorizations ?? 3,
    fetch: options.fetch,
    targetFetches: new Map(),
  };
}
