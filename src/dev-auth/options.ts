/** The options of the development authorization server. */
import type { Rule } from '../lib/options/option-rules.ts';
import { isUrl } from '../lib/text/parse-url.ts';
import { isFilledString, isRecord } from '../lib/values/is.ts';
import type { DevAuthEvent } from './events.ts';
import { type DevAuthQuirk, quirkNames } from './quirks.ts';

/** A JWK set (RFC 7517). */
export interface PublicKeys {
  /** The keys, each a JWK. */
  readonly keys: readonly object[];
}

/** A registered client, with the fields of client metadata (RFC 7591). What is left out follows from the rest. */
export interface DevAuthClient {
  /** Its identifier. */
  readonly client_id: string;
  /** The secret of a confidential client; a public one has none. */
  readonly client_secret?: string;
  /** Its name on the pages. */
  readonly client_name?: string;
  /** Where people come back to. Without them the client can only act for itself, or on a device. */
  readonly redirect_uris?: readonly string[];
  /** Default: `authorization_code` and `refresh_token` with redirect addresses, `client_credentials` with a secret or keys. */
  readonly grant_types?: readonly string[];
  /** Default: `client_secret_basic` with a secret, `private_key_jwt` with keys, `none` otherwise. */
  readonly token_endpoint_auth_method?: string;
  /** The public keys of a client that signs assertions. */
  readonly jwks?: PublicKeys;
  /** Every other field of client metadata that oidc-provider supports. */
  readonly [field: string]: unknown;
}

/**
 * How long things are valid. Whole seconds; the rest is rounded up.
 * @area dev-auth
 */
export interface DevAuthLifetimes {
  /**
   * How long an access token is valid.
   * @default 10 min
   * @beyond it is refused
   */
  readonly accessTokenMs?: number;
  /**
   * How long a refresh token is valid.
   * @default 14 days
   * @beyond it is refused
   */
  readonly refreshTokenMs?: number;
  /**
   * How long an authorization code is valid.
   * @default 1 min
   * @beyond it is refused
   */
  readonly codeMs?: number;
  /**
   * How long a device code is valid.
   * @default 10 min
   * @beyond it is refused
   */
  readonly deviceCodeMs?: number;
}

/** Whose assertions are accepted for tokens (RFC 7523), such as those of an identity provider or a workload. */
export interface TrustedIssuer {
  /** The `iss` of its assertions. */
  readonly issuer: string;
  /** Its public keys. */
  readonly jwks: PublicKeys;
}

/**
 * The options of `startDevAuthServer`.
 * @area dev-auth
 */
export interface DevAuthOptions {
  /**
   * The port on 127.0.0.1; 0 takes any free port.
   * @default 0
   * @rule port
   */
  readonly port?: number;
  /**
   * The servers that tokens are issued for, by URL. The first is for clients that name none.
   * @default computed every URL that a client names
   * @rule resourceUrls
   */
  readonly resources?: readonly string[];
  /**
   * The scopes that exist.
   * @default computed every scope that a client requests
   * @rule knownScopes
   */
  readonly scopes?: readonly string[];
  /**
   * Who can sign in, each with the claims of their tokens: `{ ada: { roles: ['admin'] } }`. There are no passwords.
   * @default computed `ada` and `grace`
   * @rule usersWithClaims
   */
  readonly users?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /**
   * Clients that are registered from the start. Others can register themselves.
   * @default []
   * @rule registeredClients
   */
  readonly clients?: readonly DevAuthClient[];
  /**
   * Client-id metadata documents by their URL, which are not fetched. Others are fetched over https.
   * @default off
   * @rule clientDocuments
   */
  readonly clientDocuments?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /**
   * Issuers whose assertions are exchanged for tokens.
   * @default off
   * @rule trustedIssuers
   */
  readonly trustedIssuers?: readonly TrustedIssuer[];
  /**
   * The form of access tokens; opaque ones are read by introspection.
   * @default 'jwt'
   */
  readonly accessTokens?: 'jwt' | 'opaque';
  /**
   * How the server differs from the specifications, to test clients against it.
   * @default []
   * @rule quirkList
   */
  readonly quirks?: readonly DevAuthQuirk[];
  /** How long tokens and codes are valid. */
  readonly lifetimes?: DevAuthLifetimes;
  /**
   * Called after every sign-in, registration, issued and refused token. Events contain no token and no code.
   * @default off
   */
  readonly onEvent?: (event: DevAuthEvent) => void;
  /**
   * Called with the line that announces the server.
   * @default computed it is written to standard error
   */
  readonly onAnnounce?: (line: string) => void;
}

/**
 * Codes, tokens, sessions and clients that are stored.
 * @limit DevAuthOptions.maxEntries
 * @beyond the oldest are dropped
 */
export const maxEntries = 10_000;

const isEach =
  (holds: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(holds);
const isResource = (value: unknown): boolean =>
  typeof value === 'string' && /^https?:/.test(value) && isUrl(value) && !value.includes('#');
const isKeys = (value: unknown): boolean => isRecord(value) && Array.isArray(value.keys);

export const resourceUrls: Rule = {
  holds: isEach(isResource),
  must: "be a list of URLs such as ['http://127.0.0.1:3000/mcp'], without fragments",
};

export const knownScopes: Rule = {
  holds: isEach((value) => typeof value === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value)),
  must: "be a list of scopes such as ['files:read'], without spaces, quotes and backslashes",
};

export const usersWithClaims: Rule = {
  holds: (value) => isRecord(value) && Object.keys(value).length > 0 && Object.values(value).every(isRecord),
  must: "be an object of the claims of each user, such as { ada: { roles: ['admin'] } }",
};

export const registeredClients: Rule = {
  holds: isEach((value) => isRecord(value) && isFilledString(value.client_id)),
  must: "be a list of client metadata, such as [{ client_id: 'app', client_secret: 'secret' }]",
};

export const clientDocuments: Rule = {
  holds: (value) => isRecord(value) && Object.values(value).every(isRecord),
  must: 'be an object of client-id metadata documents by their URL',
};

export const trustedIssuers: Rule = {
  holds: isEach((value) => isRecord(value) && isFilledString(value.issuer) && isKeys(value.jwks)),
  must: 'be a list of { issuer, jwks }',
};

export const quirkList: Rule = {
  holds: isEach((value) => quirkNames.includes(value as DevAuthQuirk)),
  must: `be a list of ${quirkNames.map((name) => `'${name}'`).join(', ')}`,
};
