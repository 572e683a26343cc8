/** Verifies JWT access tokens (RFC 9068): signature, issuer, audience and time. */
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { createPrincipal, type Principal } from '../../server/ports/principal.ts';
import type { KeySet } from './key-set.ts';
import type { ProtectOptions } from './options.ts';

/** Why a token is refused, as the client may read it: nothing of the token is in it. */
export type Refusal = { readonly refused: string };

/** Asymmetric ones only: with a shared secret, the public key could be used as one. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
const skewSeconds = 30;

const refused = (text: string): Refusal => ({ refused: text });
const invalid = refused('The token is not valid');

export type TokenRules = Pick<ProtectOptions, 'resource' | 'audiences' | 'claims' | 'rolesClaim'>;

export function createTokenVerifier(
  keySets: ReadonlyMap<string, KeySet>,
  rules: TokenRules,
): (token: string) => Promise<Principal | Refusal> {
  const audience = [rules.resource, ...(rules.audiences ?? [])];
  return async (token) => {
    const issuer = issuerOf(token);
    const keys = issuer === undefined ? undefined : keySets.get(issuer);
    if (issuer === undefined || keys === undefined) return refused('The token is of an issuer that is not accepted');
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys.find, {
        issuer,
        audience,
        algorithms,
        clockTolerance: skewSeconds,
        requiredClaims: ['exp', 'sub'],
      });
      return isAccessToken(protectedHeader.typ) ? principalOf(payload, issuer, rules) : invalid;
    } catch (error) {
      return refusalOf(error);
    }
  };
}

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

function principalOf(payload: JWTPayload, issuer: string, { claims = [], rolesClaim = 'roles' }: TokenRules) {
  const { sub, exp, cnf } = payload;
  // A client must prove that it has the key of a bound token, and a bearer token proves nothing.
  if (cnf !== undefined) return refused('The token is bound to a key');
  if (typeof sub !== 'string' || sub === '' || typeof exp !== 'number') return invalid;
  const client = payload.client_id ?? payload.azp;
  return createPrincipal({
    issuer,
    subject: sub,
    scopes: scopesIn(payload.scope ?? payload.scp),
    roles: textsIn(payload[rolesClaim]),
    claims: Object.fromEntries(
      claims.filter((name) => Object.hasOwn(payload, name)).map((name) => [name, payload[name]]),
    ),
    expiresAt: (exp + skewSeconds) * 1000,
    ...(typeof client === 'string' && client !== '' && { client }),
  });
}

const scopesIn = (claim: unknown): string[] =>
  typeof claim === 'string' ? claim.split(' ').filter((scope) => scope !== '') : textsIn(claim);

const textsIn = (claim: unknown): string[] =>
  Array.isArray(claim) ? claim.filter((one): one is string => typeof one === 'string') : [];

/** Errors of jose hold the payload, so that none of them is passed on. Any other error is not about the token. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof errors.JWTExpired) return refused('The token has expired');
  if (error instanceof errors.JWTClaimValidationFailed)
    return error.claim === 'aud' ? refused('The token is for another resource') : invalid;
  if (error instanceof errors.JOSEError || error instanceof TypeError) return invalid;
  throw error;
}
