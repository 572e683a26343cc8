/** Changes responses of oidc-provider: completes them, and makes them those of a server with quirks. */
import type { Context, Provider } from 'oidc-provider';
import { assertionProfiles } from './assertions.ts';
import type { HasQuirk } from './quirks.ts';
import type { DevAuthSettings } from './settings.ts';

type Body = Record<string, unknown>;

/** How often a device may ask for its token, in seconds: a person who develops waits for it. */
const pollSeconds = 1;

/** The endpoints where clients with a secret authenticate. */
const authenticating = new Set(['/token', '/device/auth', '/token/revocation', '/token/introspection', '/request']);

export function changeResponses(provider: Provider, settings: DevAuthSettings, has: HasQuirk): void {
  provider.use(async (context, next) => {
    if (has('post-only') && authenticating.has(context.path) && /^basic /i.test(context.get('authorization')))
      return refuseBasic(context);
    await next();
    const { path, status, response } = context;
    if (path.startsWith('/.well-known/') && status === 200) changeMetadata(context.body as Body, settings, has);
    // An empty scope is not valid (RFC 6749, 3.3).
    if (path === '/token' && status === 200 && (context.body as Body).scope === '') delete (context.body as Body).scope;
    if (path === '/device/auth' && status === 200) (context.body as Body).interval = pollSeconds;
    const { location } = response.headers;
    if ((has('no-iss') || has('no-oidc')) && location !== undefined && URL.canParse(location))
      context.set('location', withoutIss(location));
  });
}

/** oidc-provider accepts both forms of a secret. */
function refuseBasic(context: Context): void {
  context.status = 401;
  context.set('www-authenticate', 'Basic realm="client"');
  context.body = { error: 'invalid_client', error_description: 'send the secret in the body' };
}

function changeMetadata(metadata: Body, { scopes = [], trustedIssuers }: DevAuthSettings, has: HasQuirk): void {
  if (trustedIssuers !== undefined) metadata.authorization_grant_profiles_supported = assertionProfiles;
  metadata.scopes_supported = [...(metadata.scopes_supported as string[]), ...scopes];
  if (has('no-iss')) delete metadata.authorization_response_iss_parameter_supported;
  if (has('post-only'))
    metadata.token_endpoint_auth_methods_supported = ['client_secret_basic', 'client_secret_post', 'none'];
}

function withoutIss(location: string): string {
  const url = new URL(location);
  url.searchParams.delete('iss');
  return url.href;
}
