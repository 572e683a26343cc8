/** The options of `protect`, and their checks. */
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import {
  callback,
  checkOptions,
  count,
  duration,
  group,
  optionError,
  problemsIn,
  type Rule,
  type Rules,
  wrong,
} from '../../lib/options/option-rules.ts';
import { isUrl } from '../../lib/text/parse-url.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { PrincipalDetails } from '../../ports/principal.ts';
import { isSecureUrl } from '../secure-url.ts';
import { type DpopMode, type DpopOptions, dpopRule, readDpop } from './dpop/options.ts';

/** How an authorization server is asked about opaque tokens. */
export interface IntrospectionOptions {
  /** Where it is asked. Default: `introspection_endpoint` of its metadata. */
  readonly endpoint?: string;
  /** The client that this server has at the authorization server. */
  readonly clientId: string;
  /** Its secret. */
  readonly clientSecret: string;
  /** How the secret is sent: in the header `Authorization`, or in the body. Default `client_secret_basic`. */
  readonly method?: 'client_secret_basic' | 'client_secret_post';
}

/** An authorization server whose tokens are accepted. */
export interface IssuerOptions {
  /** Its issuer identifier, exactly as tokens have it in `iss`. */
  readonly issuer: string;
  /** Where its keys are. Default: what its metadata says (RFC 8414, then OpenID Connect Discovery). */
  readonly jwksUri?: string;
  /** Accepts opaque tokens of this issuer: it is asked about each (RFC 7662). Default: only JWTs are accepted. */
  readonly introspection?: IntrospectionOptions;
}

/** What `verify` knows about the sender of a token. */
export interface VerifiedPrincipal extends PrincipalDetails {
  /** The thumbprint of the key that the token is bound to, from its `cnf.jkt`. Requests then need a DPoP proof. */
  readonly jkt?: string | undefined;
}

/** Verifies a token in a way of your own. Returns nothing for a token that is not valid. */
export type VerifyToken = (token: string) => VerifiedPrincipal | undefined | PromiseLike<VerifiedPrincipal | undefined>;

/** Limits of `protect`. */
export interface TokenLimits {
  /** Bytes of one token; a longer one gets 401. Default 8 Ki. */
  readonly maxTokenBytes?: number;
  /** Verified tokens that are cached; beyond it, the least recently used are verified again. Default 10,000. */
  readonly maxCachedTokens?: number;
  /** How long a verified token is cached at most. Default 5 minutes. */
  readonly cacheMs?: number;
  /** Used DPoP proofs that are remembered in memory; beyond it, requests with a proof get 503. Default 200,000. */
  readonly maxProofs?: number;
  /** How many of them may be of one key; beyond it, requests with this key get 503. Default 50,000. */
  readonly maxProofsPerKey?: number;
}

/** The options of `protect`. */
export interface ProtectOptions {
  /** The authorization server whose tokens are accepted. */
  readonly issuer?: string | IssuerOptions;
  /** Several of them, instead of `issuer`. */
  readonly issuers?: readonly (string | IssuerOptions)[];
  /** The URL of the server as clients know it, such as `https://mcp.example.com/mcp`. Tokens must name it in `aud`. */
  readonly resource: string;
  /** Values of `aud` that are accepted instead of `resource`, for authorization servers that know no resource indicators. */
  readonly audiences?: readonly string[];
  /** The scopes that every request needs; without them it gets 403. Default none. */
  readonly scopes?: readonly string[];
  /** Scopes that include others: `{ 'files:write': ['files:read'] }`. Handlers get both. Default none. */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>;
  /** All scopes of the server, for its metadata. Default `scopes`. */
  readonly scopesSupported?: readonly string[];
  /** The name of the server for people, in its metadata. */
  readonly resourceName?: string;
  /** The claims of a token that handlers get as `ctx.caller.principal.claims`. Default none. */
  readonly claims?: readonly string[];
  /** The claim with the roles of the subject, a list of texts. Default `roles`. */
  readonly rolesClaim?: string;
  /**
   * Accepts tokens that are bound to a key of the client (DPoP, RFC 9449), which cannot be used without a proof of that
   * key: `optional` beside bearer tokens, `required` only those. Default: bound tokens are refused.
   */
  readonly dpop?: DpopMode | DpopOptions;
  /** Verifies every token instead of reading it as a JWT. It has to check that the token was issued for `resource`. */
  readonly verify?: VerifyToken;
  /** Limits on tokens. */
  readonly limits?: TokenLimits;
  /** Called when the keys of an issuer cannot be fetched. The last ones are used for an hour. */
  readonly onWarning?: (error: TenonError) => void;
}

const of = 'protect()';

const text = {
  holds: (value: unknown) => typeof value === 'string' && value !== '',
  must: 'be a text that is not empty',
};
const texts = {
  holds: (value: unknown) => Array.isArray(value) && value.every(text.holds),
  must: 'be a list of texts that are not empty',
};
/** A scope-token of RFC 6749: it is written into a header, in quotes. */
const scopes = {
  holds: (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string' && isScope(one)),
  must: "be a list of scopes such as ['files:read'], without spaces, quotes, backslashes and offline_access",
};
/** Not `offline_access`: whether a client stays signed in is not the server's concern. */
const isScope = (value: string): boolean => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value) && value !== 'offline_access';

const isIssuer = (value: unknown): boolean => isSecureUrl(value) && !/[?#]/.test(value);

const issuerRules: Rules = {
  issuer: { holds: isIssuer, must: 'be an https URL without query and fragment, exactly as tokens have it in iss' },
  jwksUri: { holds: isSecureUrl, must: 'be an https URL' },
  introspection: group({
    endpoint: { holds: isSecureUrl, must: 'be an https URL' },
    clientId: text,
    clientSecret: text,
    method: {
      holds: (value) => value === 'client_secret_basic' || value === 'client_secret_post',
      must: "be 'client_secret_basic' or 'client_secret_post'",
    },
  } satisfies Record<keyof IntrospectionOptions, Rule>),
};

const isIssuerOptions = (value: unknown): boolean => isIssuer(value) || isRecord(value);
const issuerMust = "be an https URL such as 'https://id.example', or { issuer, jwksUri, introspection }";

const rules: Rules & Record<keyof ProtectOptions, Rule> = {
  issuer: { holds: isIssuerOptions, must: issuerMust },
  issuers: {
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isIssuerOptions),
    must: `be a list of issuers, each of which must ${issuerMust}`,
  },
  resource: {
    holds: (value) => typeof value === 'string' && /^https?:\/\/[^\s"\\#]+$/.test(value) && isUrl(value),
    must: "be the URL of the server, such as 'https://mcp.example.com/mcp', without a fragment",
  },
  audiences: texts,
  scopes,
  impliedScopes: {
    holds: (value) => isRecord(value) && Object.values(value).every(scopes.holds),
    must: "be an object of lists of scopes, such as { 'files:write': ['files:read'] }",
  },
  scopesSupported: scopes,
  resourceName: text,
  claims: texts,
  rolesClaim: text,
  dpop: dpopRule,
  verify: callback,
  limits: group({
    maxTokenBytes: count,
    maxCachedTokens: count,
    cacheMs: duration,
    maxProofs: count,
    maxProofsPerKey: count,
  }),
  onWarning: callback,
};

const otherNames = {
  audience: 'audiences',
  scope: 'scopes',
  jwksUri: 'issuer.jwksUri',
  requiredScopes: 'scopes',
  implies: 'impliedScopes',
};

/** The options of `protect` that can be written in several ways. */
export interface ReadOptions {
  readonly issuers: readonly IssuerOptions[];
  readonly dpop: DpopOptions | undefined;
}

/** Throws `invalid-argument`. */
export function readOptions(options: ProtectOptions): ReadOptions {
  checkOptions(of, options, rules, 'invalid-argument', otherNames);
  const { issuer, issuers, resource } = options;
  if (resource === undefined) throw wrong(of, 'resource', rules.resource.must);
  if ((issuer === undefined) === (issuers === undefined))
    throw wrong(of, 'issuer', `${issuerMust}; for several, set issuers instead. One of the two is required`);
  const read =
    issuer === undefined
      ? (issuers ?? []).map((one, at) => readIssuer(`issuers[${at}]`, one))
      : [readIssuer('issuer', issuer)];
  for (const [at, { issuer: name }] of read.entries())
    if (read.findIndex((one) => one.issuer === name) !== at)
      throw wrong(of, `issuers[${at}]`, 'be another issuer than those before it');
  if (read.filter(({ introspection }) => introspection !== undefined).length > 1)
    throw wrong(of, 'issuers', 'have introspection for one issuer only: an opaque token does not name its issuer');
  if (options.verify !== undefined) checkUnused(options, read);
  return { issuers: read, dpop: readDpop(of, options.dpop) };
}

function readIssuer(place: string, given: string | IssuerOptions): IssuerOptions {
  if (typeof given === 'string') return { issuer: given };
  const [first] = problemsIn(`${place}.`, { ...given }, issuerRules);
  if (first !== undefined) throw optionError(of, first);
  if (given.issuer === undefined) throw wrong(of, `${place}.issuer`, issuerRules.issuer?.must ?? '');
  const { introspection } = given;
  for (const name of ['clientId', 'clientSecret'] as const)
    if (introspection !== undefined && introspection[name] === undefined)
      throw wrong(of, `${place}.introspection.${name}`, text.must);
  return given;
}

/** Options about reading a token, which `verify` does instead: a server that sets them relies on checks that are not made. */
function checkUnused(options: ProtectOptions, issuers: readonly IssuerOptions[]): void {
  const inOptions = (['audiences', 'claims', 'rolesClaim'] as const).find((name) => options[name] !== undefined);
  const inIssuer = (['jwksUri', 'introspection'] as const).find((name) =>
    issuers.some((issuer) => issuer[name] !== undefined),
  );
  const unused = inOptions ?? (inIssuer && `issuer.${inIssuer}`);
  if (unused !== undefined)
    throw wrong(of, unused, 'not be set beside verify, which gets the token and returns the principal');
}
