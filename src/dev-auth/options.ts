/** The options of the development authorization server, and their checks. */

import { callback, checkOptions, count, duration, group, type Rule, type Rules } from '../lib/options/option-rules.ts';
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

/** How long things are valid. Whole seconds; the rest is rounded up. */
export interface DevAuthLifetimes {
  /** An access token. Default 10 minutes. */
  readonly accessTokenMs?: number;
  /** A refresh token. Default 14 days. */
  readonly refreshTokenMs?: number;
  /** An authorization code. Default 1 minute. */
  readonly codeMs?: number;
  /** A device code. Default 10 minutes. */
  readonly deviceCodeMs?: number;
}

/** Whose assertions are accepted for tokens (RFC 7523), such as those of an identity provider or a workload. */
export interface TrustedIssuer {
  /** The `iss` of its assertions. */
  readonly issuer: string;
  /** Its public keys. */
  readonly jwks: PublicKeys;
}

/** The options of `startDevAuthServer`. */
export interface DevAuthOptions {
  /** The port on 127.0.0.1. Default 0: any free one. */
  readonly port?: number;
  /** The servers that tokens are issued for, by URL. The first is for clients that name none. Default: every URL that a client names. */
  readonly resources?: readonly string[];
  /** The scopes that exist. Default: every scope that a client requests. */
  readonly scopes?: readonly string[];
  /** Who can sign in, each with the claims of their tokens: `{ ada: { roles: ['admin'] } }`. Default `ada` and `grace`. There are no passwords. */
  readonly users?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Clients that are registered from the start. Others can register themselves. Default none. */
  readonly clients?: readonly DevAuthClient[];
  /** Client-id metadata documents by their URL, which are not fetched. Others are fetched over https. Default none. */
  readonly clientDocuments?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Issuers whose assertions are exchanged for tokens. Default none. */
  readonly trustedIssuers?: readonly TrustedIssuer[];
  /** The form of access tokens. Default `jwt`; opaque ones are read by introspection. */
  readonly accessTokens?: 'jwt' | 'opaque';
  /** How the server differs from the specifications, to test clients against it. Default: in nothing. */
  readonly quirks?: readonly DevAuthQuirk[];
  /** How long tokens and codes are valid. */
  readonly lifetimes?: DevAuthLifetimes;
  /** The limit of what is stored. */
  readonly limits?: {
    /** Codes, tokens, sessions and clients that are stored; beyond it the oldest are dropped. Default 10,000. */
    readonly maxEntries?: number;
  };
  /** Called after every sign-in, registration, issued and refused token. Events contain no token and no code. */
  readonly onEvent?: (event: DevAuthEvent) => void;
  /** Called with the line that announces the server. Default: it is written to standard error. */
  readonly onAnnounce?: (line: string) => void;
}

const isEach =
  (holds: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(holds);
const isResource = (value: unknown): boolean =>
  typeof value === 'string' && /^https?:/.test(value) && isUrl(value) && !value.includes('#');
const isKeys = (value: unknown): boolean => isRecord(value) && Array.isArray(value.keys);

const rules: Rules & Record<keyof DevAuthOptions, Rule> = {
  port: {
    holds: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535,
    must: 'be a port, 0 to 65535',
  },
  resources: {
    holds: isEach(isResource),
    must: "be a list of URLs such as ['http://127.0.0.1:3000/mcp'], without fragments",
  },
  scopes: {
    holds: isEach((value) => typeof value === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value)),
    must: "be a list of scopes such as ['files:read'], without spaces, quotes and backslashes",
  },
  users: {
    holds: (value) => isRecord(value) && Object.keys(value).length > 0 && Object.values(value).every(isRecord),
    must: "be an object of the claims of each user, such as { ada: { roles: ['admin'] } }",
  },
  clients: {
    holds: isEach((value) => isRecord(value) && isFilledString(value.client_id)),
    must: "be a list of client metadata, such as [{ client_id: 'app', client_secret: 'secret' }]",
  },
  clientDocuments: {
    holds: (value) => isRecord(value) && Object.values(value).every(isRecord),
    must: 'be an object of client-id metadata documents by their URL',
  },
  trustedIssuers: {
    holds: isEach((value) => isRecord(value) && isFilledString(value.issuer) && isKeys(value.jwks)),
    must: 'be a list of { issuer, jwks }',
  },
  accessTokens: { holds: (value) => value === 'jwt' || value === 'opaque', must: "be 'jwt' or 'opaque'" },
  quirks: {
    holds: isEach((value) => quirkNames.includes(value as DevAuthQuirk)),
    must: `be a list of ${quirkNames.map((name) => `'${name}'`).join(', ')}`,
  },
  lifetimes: group({ accessTokenMs: duration, refreshTokenMs: duration, codeMs: duration, deviceCodeMs: duration }),
  limits: group({ maxEntries: count }),
  onEvent: callback,
  onAnnounce: callback,
};

/** Throws `invalid-argument`. */
export function checkDevAuthOptions(options: DevAuthOptions): void {
  checkOptions('startDevAuthServer()', options, rules, 'invalid-argument', {
    resource: 'resources',
    scope: 'scopes',
    client: 'clients',
    quirk: 'quirks',
    ttl: 'lifetimes',
  });
}
