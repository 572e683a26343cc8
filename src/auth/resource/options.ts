/** The options of `protect`, the rules of those that are no numbers, and the limits that are fixed. */
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Rule } from '../../lib/options/option-rules.ts';
import { isUrl } from '../../lib/text/parse-url.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { PrincipalDetails } from '../../ports/principal.ts';
import { isSecureUrl } from '../secure-url.ts';
import type { DpopMode, DpopOptions } from './dpop/options.ts';
import type { IssuerServer } from './issuer-server.ts';

/**
 * How an authorization server is asked about opaque tokens.
 * @area auth
 */
export interface IntrospectionOptions {
  /**
   * Where it is asked.
   * @default computed `introspection_endpoint` of its metadata
   * @rule endpointUrl
   */
  readonly endpoint?: string;
  /** The client that this server has at the authorization server. */
  readonly clientId: string;
  /** Its secret. */
  readonly clientSecret: string;
  /**
   * How the secret is sent: in the header `Authorization`, or in the body.
   * @default computed `client_secret_basic`
   */
  readonly method?: 'client_secret_basic' | 'client_secret_post';
}

/**
 * An authorization server whose tokens are accepted.
 * @area auth
 */
export interface IssuerOptions {
  /**
   * Its issuer identifier, exactly as tokens have it in `iss`.
   * @rule issuerUrl
   */
  readonly issuer: string;
  /**
   * Where its keys are.
   * @default computed what its metadata says (RFC 8414, then OpenID Connect Discovery)
   * @rule endpointUrl
   */
  readonly jwksUri?: string;
  /**
   * Accepts opaque tokens of this issuer: it is asked about each (RFC 7662).
   * @default off, only JWTs are accepted
   */
  readonly introspection?: IntrospectionOptions;
}

/** What `verify` knows about the sender of a token. */
export interface VerifiedPrincipal extends PrincipalDetails {
  /** The thumbprint of the key that the token is bound to, from its `cnf.jkt`. Requests then need a DPoP proof. */
  readonly jkt?: string | undefined;
}

/** Verifies a token in a way of your own. Returns nothing for a token that is not valid. */
export type VerifyToken = (token: string) => VerifiedPrincipal | undefined | PromiseLike<VerifiedPrincipal | undefined>;

/**
 * Limits of `protect`.
 * @area auth
 */
export interface TokenLimits {
  /**
   * How long a verified token is cached at most.
   * @default 5 min
   * @beyond it is verified again
   */
  readonly cacheMs?: number;
}

/**
 * Bytes of one token.
 * @limit TokenLimits.maxTokenBytes
 * @beyond 401
 */
export const maxTokenBytes = 8 * 1024;

/**
 * Verified tokens that are cached.
 * @limit TokenLimits.maxCachedTokens
 * @beyond the least recently used is verified again
 */
export const maxCachedTokens = 10_000;

/**
 * Used DPoP proofs that are remembered in memory.
 * @limit TokenLimits.maxProofs
 * @beyond 503 until some expire
 * @code store-failed
 */
export const maxProofs = 200_000;

/**
 * Used DPoP proofs of one principal that are remembered in memory, whatever keys it has.
 * @limit TokenLimits.maxProofsPerPrincipal
 * @beyond 503 for that principal until some expire
 * @code store-failed
 */
export const maxProofsPerPrincipal = 50_000;

/**
 * The options of `protect`.
 * @area auth
 */
export interface ProtectOptions {
  /**
   * The authorization server whose tokens are accepted: its URL, or an `authorizationServer()` of `tenon/auth-server`, which
   * is then served beside the endpoint.
   * @default off
   * @rule oneIssuer
   */
  readonly issuer?: string | IssuerOptions | IssuerServer;
  /**
   * Several of them, instead of `issuer`.
   * @default off
   * @rule severalIssuers
   */
  readonly issuers?: readonly (string | IssuerOptions | IssuerServer)[];
  /**
   * The URL of the server as clients know it, such as `https://mcp.example.com/mcp`. Tokens must name it in `aud`.
   * @rule resourceUrl
   */
  readonly resource: string;
  /**
   * Values of `aud` that are accepted instead of `resource`, for authorization servers that know no resource indicators.
   * @default computed `resource`
   * @rule textList
   */
  readonly audiences?: readonly string[];
  /**
   * The scopes that every request needs; without them it gets 403.
   * @default []
   * @rule scopeList
   */
  readonly scopes?: readonly string[];
  /**
   * Scopes that include others: `{ 'files:write': ['files:read'] }`. Handlers get both.
   * @default off
   * @rule scopesByScope
   */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>;
  /**
   * All scopes of the server, for its metadata.
   * @default computed `scopes`
   * @rule scopeList
   */
  readonly scopesSupported?: readonly string[];
  /**
   * The name of the server for people, in its metadata.
   * @default off
   */
  readonly resourceName?: string;
  /**
   * The claims of a token that handlers get as `ctx.caller.principal.claims`.
   * @default off
   * @rule textList
   */
  readonly claims?: readonly string[];
  /**
   * The claim with the roles of the subject, a list of texts.
   * @default 'roles'
   */
  readonly rolesClaim?: string;
  /**
   * Accepts tokens that are bound to a key of the client (DPoP, RFC 9449), which cannot be used without a proof of that
   * key: `optional` beside bearer tokens, `required` only those.
   * @default off, bound tokens are refused
   * @rule dpopRule
   */
  readonly dpop?: DpopMode | DpopOptions;
  /**
   * Verifies every token instead of reading it as a JWT. It has to check that the token was issued for `resource`.
   * @default off
   */
  readonly verify?: VerifyToken;
  /** Limits on tokens. */
  readonly limits?: TokenLimits;
  /**
   * Called when the keys of an issuer cannot be fetched. The last ones are used for an hour.
   * @default off
   */
  readonly onWarning?: (error: TenonError) => void;
}

/** A scope-token of RFC 6749: it is written into a header, in quotes. */
export const scopeList: Rule = {
  holds: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string' && isScope(one)),
  must: "be a list of scopes such as ['files:read'], without spaces, quotes, backslashes and offline_access",
};

/** Not `offline_access`: whether a client stays signed in is not the server's concern. */
const isScope = (value: string): boolean => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value) && value !== 'offline_access';

export const scopesByScope: Rule = {
  holds: (value) => isRecord(value) && Object.values(value).every(scopeList.holds),
  must: "be an object of lists of scopes, such as { 'files:write': ['files:read'] }",
};

export const textList: Rule = {
  holds: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== ''),
  must: 'be a list of texts that are not empty',
};

const isIssuer = (value: unknown): boolean => isSecureUrl(value) && !/[?#]/.test(value);

export const issuerUrl: Rule = {
  holds: isIssuer,
  must: 'be an https URL without query and fragment, exactly as tokens have it in iss',
};

export const endpointUrl: Rule = { holds: isSecureUrl, must: 'be an https URL' };

const isIssuerOptions = (value: unknown): boolean => isIssuer(value) || isRecord(value);

export const oneIssuer: Rule = {
  holds: isIssuerOptions,
  must: "be an https URL such as 'https://id.example', { issuer, jwksUri, introspection }, or an authorizationServer()",
};

export const severalIssuers: Rule = {
  holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isIssuerOptions),
  must: `be a list of issuers, each of which must ${oneIssuer.must}`,
};

export const resourceUrl: Rule = {
  holds: (value) => typeof value === 'string' && /^https?:\/\/[^\s"\\#]+$/.test(value) && isUrl(value),
  must: "be the URL of the server, such as 'https://mcp.example.com/mcp', without a fragment",
};
