/** The request that sends the browser to the provider, with a state, a nonce and a code verifier of its own. */
import * as oauth from 'oauth4webapi';
import type { SignInProvider } from '../providers/sign-in-provider.ts';
import type { ProviderPending } from './provider-client.ts';
import type { ProviderContext } from './provider-context.ts';

export async function authorizationRequest(
  { provider, callbackUrl, isOpenId }: ProviderContext,
  server: oauth.AuthorizationServer,
): Promise<{ readonly url: URL; readonly pending: ProviderPending }> {
  const pending = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    codeVerifier: oauth.generateRandomCodeVerifier(),
  };
  const { scopes, parameters } = requested(provider, server);
  const all = {
    ...parameters,
    ...provider.parameters,
    response_type: 'code',
    client_id: provider.clientId,
    redirect_uri: callbackUrl,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    state: pending.state,
    ...(isOpenId && { nonce: pending.nonce }),
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.codeVerifier),
    code_challenge_method: 'S256',
  };
  const url = new URL(server.authorization_endpoint as string);
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
  return { url, pending };
}

const own: readonly string[] = ['openid', 'profile', 'email'];

/** The scopes that a provider is asked for. While it cannot be reached, those that are asked for anyway. */
export async function requestedScopes({ provider, metadata }: ProviderContext): Promise<readonly string[]> {
  const server = await metadata().catch((): Pick<oauth.AuthorizationServer, 'scopes_supported'> => ({}));
  return requested(provider, server).scopes;
}

/** By default what names a user, and a refresh token where the provider has a scope for it, which then needs a consent. */
function requested(
  { scopes, issuer }: SignInProvider,
  server: Pick<oauth.AuthorizationServer, 'scopes_supported'>,
): { readonly scopes: readonly string[]; readonly parameters?: Readonly<Record<string, string>> } {
  if (scopes !== undefined) return { scopes };
  if (issuer === undefined) return { scopes: [] };
  const isOffline = server.scopes_supported?.includes('offline_access') === true;
  return isOffline ? { scopes: [...own, 'offline_access'], parameters: { prompt: 'consent' } } : { scopes: own };
}
