/** How real authorization servers differ from the specifications: the names of the quirks, and the requests that they refuse. */
import type { Context, errors } from 'oidc-provider';

/** A way in which an authorization server differs from what clients expect. */
export type DevAuthQuirk =
  /** Requests with `resource` fail with `invalid_target`. */
  | 'rejects-resource'
  /** A refresh without `scope` fails. */
  | 'scope-on-refresh'
  /** Every refresh gives a new refresh token, to confidential clients too. The old one is then a theft: it revokes all. */
  | 'rotates-refresh-tokens'
  /** Clients cannot register themselves. */
  | 'no-registration'
  /** Responses to the redirect address have no `iss` (RFC 9207). */
  | 'no-iss'
  /** Clients with a secret must send it in the body. The metadata lists the header too. */
  | 'post-only'
  /** Tokens need DPoP, with a nonce of the server. */
  | 'dpop-nonce'
  /** As Google: `offline_access` is refused. A refresh token needs `access_type=offline` and `prompt=consent`. */
  | 'refresh-by-parameter'
  /** As GitHub Enterprise: OAuth without OpenID Connect and `iss`, token errors with 200, the user at `/api/v3/user`. */
  | 'no-oidc'
  /** As Entra: a user with more than 200 groups has none of them in tokens, but `_claim_names`. */
  | 'group-overage'
  /** As Okta: the claims of users are in ID tokens, neither in access tokens nor at the userinfo endpoint. */
  | 'claims-in-id-token-only'
  /** As Keycloak without a mapper: no token has `groups` or `roles`. */
  | 'no-groups';

export const quirkNames: readonly DevAuthQuirk[] = [
  'rejects-resource',
  'scope-on-refresh',
  'rotates-refresh-tokens',
  'no-registration',
  'no-iss',
  'post-only',
  'dpop-nonce',
  'refresh-by-parameter',
  'no-oidc',
  'group-overage',
  'claims-in-id-token-only',
  'no-groups',
];

/** Whether the server has a quirk. */
export type HasQuirk = (quirk: DevAuthQuirk) => boolean;

/** Routes whose parameters were checked before: they come back from a page of the server. */
const resumed = new Set(['resume', 'code_verification', 'device_resume']);

/** Throws where a request names a resource although the server rejects that. `isDefault`: the server chose it. */
export function checkResourceQuirk(
  has: HasQuirk,
  { oidc }: Context,
  isDefault: boolean,
  { InvalidTarget }: typeof errors,
): void {
  if (!has('rejects-resource') || isDefault || resumed.has(oidc.route) || oidc.params.resource === undefined) return;
  throw new InvalidTarget('AADSTS9010010: the parameter resource is not supported');
}

/** Throws where a refresh comes without `scope`, if the server wants it. */
export function checkRefreshQuirk(has: HasQuirk, { oidc }: Context, { InvalidRequest }: typeof errors): void {
  if (!has('scope-on-refresh') || oidc.params.grant_type !== 'refresh_token' || oidc.params.scope) return;
  throw new InvalidRequest('AADSTS90009: the parameter scope is required, as it was requested first');
}

/** Turns `access_type=offline` into the scope that oidc-provider has for it, which also wants `prompt=consent`. */
export function applyOfflineQuirk(has: HasQuirk, { oidc }: Context, { InvalidScope }: typeof errors): void {
  if (!has('refresh-by-parameter') || resumed.has(oidc.route)) return;
  const { scope = '', access_type: type } = oidc.params;
  if (scope.split(' ').includes('offline_access'))
    throw new InvalidScope('Some requested scopes were invalid. {invalid=[offline_access]}');
  if (type === 'offline') oidc.params.scope = `${scope} offline_access`;
}
