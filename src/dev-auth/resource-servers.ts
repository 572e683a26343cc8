/** Which resources tokens are issued for, with which scopes and in which form. */
import type { Client, Context, errors } from 'oidc-provider';
import { checkResourceQuirk, type HasQuirk } from './quirks.ts';
import type { DevAuthSettings } from './settings.ts';

/** The scopes of OpenID Connect. All others belong to resources. */
export const ownScopes: readonly string[] = ['openid', 'offline_access'];

/** What oidc-provider has to know of a resource. */
export interface ResourceServerInfo {
  readonly audience: string;
  readonly scope: string;
  readonly accessTokenFormat: 'jwt' | 'opaque';
  readonly accessTokenTTL: number;
  readonly jwt: { readonly sign: { readonly alg: string } };
}

/** `requested` are the scopes where the options name none. */
export const resourceServerInfo = (
  { scopes, accessTokens, lifetimes }: DevAuthSettings,
  resource: string,
  requested: readonly string[],
): ResourceServerInfo => ({
  audience: resource,
  scope: (scopes ?? requested).join(' '),
  accessTokenFormat: accessTokens,
  accessTokenTTL: Math.ceil(lifetimes.accessTokenMs / 1000),
  jwt: { sign: { alg: 'ES256' } },
});

/** The feature `resourceIndicators`: a token is for the resource that the client names, else for the first of the options. */
export function resourceIndicators(
  settings: DevAuthSettings,
  has: HasQuirk,
  oauthErrors: typeof errors,
): Record<string, unknown> {
  const { resources } = settings;
  const byDefault = new WeakSet<Context>();
  return {
    enabled: true,
    defaultResource: (context: Context, _client: Client, oneOf?: readonly string[]) => {
      byDefault.add(context);
      return oneOf?.[0] ?? resources?.[0];
    },
    useGrantedResource: () => true,
    getResourceServerInfo: (context: Context, resource: string) => {
      checkResourceQuirk(has, context, byDefault.has(context), oauthErrors);
      if (resources !== undefined && !resources.includes(resource))
        throw new oauthErrors.InvalidTarget(`this server issues tokens for ${resources.join(' and ')} only`);
      return resourceServerInfo(settings, resource, requestedScopes(context));
    },
  };
}

/** What the request names, or what the code or token that it redeems was issued for. */
function requestedScopes({ oidc }: Context): string[] {
  const sources = ['AuthorizationCode', 'RefreshToken', 'DeviceCode'].map((name) => oidc.entities[name]?.scope);
  const all = [oidc.params.scope, ...sources].flatMap((scope) => scope?.split(' ') ?? []);
  return [...new Set(all)].filter((scope) => !ownScopes.includes(scope));
}
