/** The identity provider's side of enterprise-managed authorization: an ID token becomes an ID-JAG for another server (RFC 8693). */
import { randomUUID } from 'node:crypto';
import { importJWK, type JWK, jwtVerify, SignJWT } from 'jose';
import type { Context, errors, Provider } from 'oidc-provider';

const grant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const idJag = 'urn:ietf:params:oauth:token-type:id-jag';
const idToken = 'urn:ietf:params:oauth:token-type:id_token';
const validSeconds = 300;

/** The `typ` of an ID-JAG. */
export const idJagType = 'oauth-id-jag+jwt';

/** Registers the grant. `signingKey` is the private key of the server. */
export function exchangeIdTokens(
  provider: Provider,
  signingKey: JWK,
  { InvalidGrant, InvalidRequest }: typeof errors,
): void {
  provider.registerGrantType(
    grant,
    async (context) => {
      const { requested_token_type: wanted, subject_token_type: given, audience } = context.oidc.params;
      if (wanted !== idJag || given !== idToken || audience === undefined)
        throw new InvalidRequest(`only an ID token can be exchanged, for ${idJag}, with an audience`);
      context.body = await exchange(provider, signingKey, context).catch((error: Error) => {
        throw new InvalidGrant(`the ID token is not valid: ${error.message}`);
      });
    },
    ['subject_token', 'subject_token_type', 'requested_token_type', 'audience', 'resource', 'scope'],
  );
}

async function exchange({ issuer }: Provider, signingKey: JWK, { oidc }: Context): Promise<Record<string, unknown>> {
  const { subject_token: token = '', audience = '', resource, scope } = oidc.params;
  const client = oidc.client.clientId;
  const { d: _, ...publicKey } = signingKey;
  const { payload } = await jwtVerify(token, await importJWK(publicKey, 'ES256'), { issuer, audience: client });
  const claims = {
    client_id: client,
    ...(resource !== undefined && { resource }),
    ...(scope !== undefined && { scope }),
  };
  const assertion = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: idJagType, kid: signingKey.kid ?? '' })
    .setIssuer(issuer)
    .setSubject(payload.sub ?? '')
    .setAudience(audience)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(`${validSeconds}s`)
    .sign(await importJWK(signingKey, 'ES256'));
  return { access_token: assertion, issued_token_type: idJag, token_type: 'N_A', expires_in: validSeconds, scope };
}
