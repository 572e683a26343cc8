/** Verifies JWT access tokens (RFC 9068): signature, issuer, audience and time. */
import { decodeJwt, errors, jwtVerify } from 'jose';
import { createPrincipal, type Principal } from '../../../ports/principal.ts';
import type { KeySet } from '../key-set.ts';
import type { ProtectSettings } from '../settings.ts';
import { tokenAlgorithms } from './algorithms.ts';

/** Why a token is refused, as the client may read it: nothing of the token is in it. */
export type Refusal = { readonly refused: string };

/** A token that is valid: of whom, and the thumbprint of the key that it is bound to, if it is. */
export interface VerifiedToken {
  readonly principal: Principal;
  readonly jkt: string | undefined;
  /** When it was issued, in seconds, if it says so. */
  readonly issuedAt?: number | undefined;
  /** When the user signed in for it (`auth_time`), in seconds, if it says so. */
  readonly grantedAt?: number | undefined;
}

/**
 * Difference of clocks.
 * @limit auth
 * @default 30 s
 * @beyond 401
 */
export const skewSeconds = 30;

export const refused = (text: string): Refusal => ({ refused: text });
const invalid = refused('The token is not valid');
export const otherKind = refused('The token is not an access token');

export type TokenRules = Pick<ProtectSettings, 'resource' | 'audiences' | 'claims' | 'rolesClaim'>;

/** Verifies a token for a sender that is not known yet: `share` is whose share of what it costs it counts for. */
export type CheckToken = (token: string, share: string | undefined) => Promise<VerifiedToken | Refusal>;

export function createTokenVerifier(
  keySets: ReadonlyMap<string, KeySet>,
  rules: TokenRules,
  introspect?: CheckToken,
): CheckToken {
  const audience = [rules.resource, ...(rules.audiences ?? [])];
  return async (token, share) => {
    // Whatever could be a JWT is verified as one: a forged one is no opaque token.
    if (introspect !== undefined && !isJwt.test(token)) return introspect(token, share);
    const issuer = issuerOf(token);
    const keys = issuer === undefined ? undefined : keySets.get(issuer);
    if (issuer === undefined || keys === undefined) return refused('The token is of an issuer that is not accepted');
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys.find, {
        issuer,
        audience,
        algorithms: tokenAlgorithms,
        clockTolerance: skewSeconds,
        requiredClaims: ['exp', 'sub'],
      });
      return isAccessToken(protectedHeader.typ) ? tokenOf(payload, issuer, rules) : otherKind;
    } catch (error) {
      return refusalOf(error);
    }
  };
}

const isJwt = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Not verified yet: it only selects one of the configured issuers. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** Other kinds of tokens, such as proofs and logout tokens, name their type. Many issuers name none, or `JWT`. */
const isAccessToken = (typ: string | undefined): boolean =>
  typ === undefined || /^(?:application\/)?(?:at\+)?jwt$/i.test(typ);

/** What a verified payload, or the answer to an introspection, says about its subject, and about the key that it is bound to. */
export function tokenOf(
  payload: Readonly<Record<string, unknown>>,
  issuer: string,
  rules: TokenRules,
): VerifiedToken | Refusal {
  const { claims = [], rolesClaim } = rules;
  const { sub, exp, cnf } = payload;
  const jkt = thumbprintIn(cnf);
  if (cnf !== undefined && jkt === undefined)
    return refused('The token is bound to a key in a way that is not supported');
  if (typeof sub !== 'string' || sub === '') return invalid;
  const client = payload.client_id ?? payload.azp;
  const principal = createPrincipal({
    issuer,
    subject: sub,
    scopes: scopesIn(payload.scope ?? payload.scp),
    roles: textsIn(payload[rolesClaim]),
    claims: Object.fromEntries(
      claims.filter((name) => Object.hasOwn(payload, name)).map((name) => [name, payload[name]]),
    ),
    expiresAt: typeof exp === 'number' ? (exp + skewSeconds) * 1000 : undefined,
    ...(typeof client === 'string' && client !== '' && { client }),
  });
  return { principal, jkt, issuedAt: numberIn(payload.iat), grantedAt: numberIn(payload.auth_time) };
}

const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Any other confirmation, such as a certificate, is one that is not checked here: alone or beside the thumbprint. */
function thumbprintIn(cnf: unknown): string | undefined {
  if (typeof cnf !== 'object' || cnf === null) return undefined;
  const { jkt, ...others } = cnf as Record<string, unknown>;
  return typeof jkt === 'string' && Object.keys(others).length === 0 ? jkt : undefined;
}

const scopesIn = (claim: unknown): string[] =>
  typeof claim === 'string' ? claim.split(' ').filter((scope) => scope !== '') : textsIn(claim);

const textsIn = (claim: unknown): string[] =>
  Array.isArray(claim) ? claim.filter((one): one is string => typeof one === 'string') : [];

/** Errors of jose hold the payload, so that none of them is passed on. Any other error is not about the token. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof errors.JWTExpired) return refused('The token has expired');
  if (error instanceof errors.JWTClaimValidationFailed) return refusalOfClaim(error);
  const known = reasons.find(([kind]) => error instanceof kind);
  if (known !== undefined) return refused(known[1]);
  // A published key that cannot be read is a TypeError or a DOMException.
  if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException) return invalid;
  throw error;
}

const reasons = [
  [errors.JWSSignatureVerificationFailed, 'The signature of the token is not valid'],
  [errors.JWKSNoMatchingKey, 'The token is signed by a key that its issuer does not publish'],
  [errors.JWKSMultipleMatchingKeys, 'The token has no kid and its issuer has several keys'],
  [errors.JOSEAlgNotAllowed, 'The algorithm of the token is not accepted'],
] as const;

/** The names of claims are those that are checked here, never one of the token. */
function refusalOfClaim({ claim, reason }: errors.JWTClaimValidationFailed): Refusal {
  if (claim === 'aud') return refused('The token is for another resource');
  if (claim === 'nbf' && reason === 'check_failed') return refused('The token is not valid yet');
  return reason === 'missing' ? refused(`The token has no ${claim}`) : invalid;
}
