/** The grant `jwt-bearer` (RFC 7523): an assertion of a trusted issuer, such as an ID-JAG or that of a workload, for a token. */
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import type { Context, errors, Provider } from 'oidc-provider';
import { idJagType } from './id-jag.ts';
import { resourceServerInfo } from './resource-servers.ts';
import type { DevAuthSettings } from './settings.ts';

const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const algorithms = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA', 'Ed25519'];
const skewSeconds = 30;

/** What the metadata says of assertions, if any issuer is trusted. */
export const assertionProfiles: readonly string[] = ['urn:ietf:params:oauth:grant-profile:id-jag'];

/** Registers the grant. */
export function acceptAssertions(
  provider: Provider,
  settings: DevAuthSettings,
  { InvalidGrant, InvalidRequest }: typeof errors,
): void {
  const redeem = async (context: Context, assertion: string): Promise<Record<string, unknown>> => {
    const payload = await verify(provider, settings, assertion);
    return issue(provider, settings, context, payload, decodeProtectedHeader(assertion).typ === idJagType);
  };
  provider.registerGrantType(
    grant,
    async (context) => {
      const { assertion } = context.oidc.params;
      if (assertion === undefined) throw new InvalidRequest('the parameter assertion is missing');
      context.body = await redeem(context, assertion).catch((error: Error) => {
        throw new InvalidGrant(`the assertion is not valid: ${error.message}`);
      });
    },
    ['assertion', 'scope', 'resource'],
  );
}

/** A signed assertion of a trusted issuer for this server, which was not used before. */
async function verify(
  provider: Provider,
  { trustedIssuers = [] }: DevAuthSettings,
  assertion: string,
): Promise<JWTPayload> {
  const trusted = trustedIssuers.find(({ issuer }) => issuer === decodeJwt(assertion).iss);
  if (trusted === undefined) throw new Error('its issuer is not trusted');
  const { payload } = await jwtVerify(assertion, createLocalJWKSet(trusted.jwks as JSONWebKeySet), {
    algorithms,
    audience: [provider.issuer, `${provider.issuer}/token`],
    requiredClaims: ['sub', 'exp', 'iat', 'jti'],
    clockTolerance: skewSeconds,
  });
  const usedUntil = (payload.exp ?? 0) + skewSeconds;
  const isNew = await provider.ReplayDetection.unique(trusted.issuer, payload.jti ?? '', usedUntil);
  if (!isNew) throw new Error('it was used before');
  return payload;
}

async function issue(
  provider: Provider,
  settings: DevAuthSettings,
  { oidc }: Context,
  payload: JWTPayload,
  isIdJag: boolean,
): Promise<Record<string, unknown>> {
  const { client, params } = oidc;
  if (isIdJag && payload.client_id !== client.clientId) throw new Error('it is for another client');
  const resource = resourceOf(payload, params.resource, settings.resources);
  const scopes = scopesOf(payload, params.scope);
  const info = resourceServerInfo(settings, resource, scopes);
  const known = info.scope.split(' ');
  const token = new provider.AccessToken({ accountId: payload.sub, client, gty: 'jwt-bearer' });
  token.resourceServer = new provider.ResourceServer(resource, info);
  token.scope = scopes.filter((scope) => known.includes(scope)).join(' ') || undefined;
  const value = await token.save();
  return { access_token: value, expires_in: token.expiration, token_type: token.tokenType, scope: token.scope };
}

/** The resource of the assertion, which a request may repeat; else that of the request. */
function resourceOf({ resource }: JWTPayload, requested: string | undefined, known?: readonly string[]): string {
  const claimed = typeof resource === 'string' ? resource : undefined;
  if (claimed !== undefined && requested !== undefined && claimed !== requested)
    throw new Error('it is for another resource');
  const found = claimed ?? requested ?? known?.[0];
  if (found === undefined || known?.includes(found) === false) throw new Error('it is for no resource of this server');
  return found;
}

/** What is requested, and allowed by the assertion. Each is all where it is missing. */
function scopesOf({ scope: allowed }: JWTPayload, requested: string | undefined): string[] {
  const list = (text: string): string[] => text.split(' ').filter((scope) => scope !== '');
  if (typeof allowed !== 'string') return list(requested ?? '');
  const all = list(allowed);
  return requested === undefined ? all : list(requested).filter((scope) => all.includes(scope));
}
