/** The quirk `no-oidc`: the paths, the API and the errors of GitHub Enterprise Server. */
import type { Context, Provider } from 'oidc-provider';
import type { DevAuthSettings } from './settings.ts';
import { claimsOfUser } from './user-claims.ts';

/** Where GitHub has its endpoints. */
export const githubRoutes = { authorization: '/login/oauth/authorize', token: '/login/oauth/access_token' } as const;

/** The scopes that exist where the options name none. */
export const githubScopes: readonly string[] = ['read:user', 'user:email', 'read:org'];

/** `Provider` so far as the API needs it: tokens that are no JWTs can be looked up. */
type Tokens = Pick<Provider, 'AccessToken'>;

/** Serves the API, and changes what GitHub does differently. */
export function actAsGitHub(provider: Provider, { users }: DevAuthSettings): void {
  provider.use(async (context, next) => {
    if (context.path.startsWith('/.well-known/')) return void (context.status = 404);
    if (context.path.startsWith('/api/v3/')) return serveApi(provider, context, users);
    await next();
    if (context.path === githubRoutes.token && context.status !== 200) refuseAsGitHub(context);
  });
}

/** Errors of the token endpoint come with 200, and codes have names of their own. */
function refuseAsGitHub(context: Context): void {
  const { error } = context.body as { readonly error: string };
  const names: Readonly<Record<string, string>> = {
    invalid_client: 'incorrect_client_credentials',
    invalid_grant: context.oidc.params.grant_type === 'refresh_token' ? 'bad_refresh_token' : 'bad_verification_code',
  };
  const named = names[error] ?? error;
  context.status = 200;
  context.body = { error: named, error_description: `GitHub refused the request: ${named}` };
}

async function serveApi({ AccessToken }: Tokens, context: Context, users: DevAuthSettings['users']): Promise<void> {
  const token = await AccessToken.find(context.get('authorization').replace(/^Bearer /i, ''));
  const claims = claimsOfUser(users, token?.accountId);
  if (token === undefined || claims === undefined) {
    context.status = 401;
    context.body = { message: 'Bad credentials' };
    return;
  }
  const { teams = [], ...account } = claims;
  const isTeams = context.path === '/api/v3/user/teams';
  if (isTeams && token.scope?.split(' ').includes('read:org') !== true) {
    context.status = 403;
    context.body = { message: 'Resource not accessible by integration' };
    return;
  }
  context.status = 200;
  context.body = isTeams ? teams : { login: token.accountId, ...account };
}
