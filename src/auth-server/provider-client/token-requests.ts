/** Requests at the token endpoint of the provider: the exchange of a code, refreshes and revocation. */
import * as oauth from 'oauth4webapi';
import type { ProviderPending, ProviderTokens } from './provider-client.ts';
import type { ProviderContext } from './provider-context.ts';
import { ProviderError, Refusal } from './provider-error.ts';
import { refusalOfCallback, titleOf } from './refusals.ts';

/** What the provider issued. */
export interface Issued {
  readonly tokens: ProviderTokens;
  readonly idToken: oauth.IDToken | undefined;
}

export async function exchangeCode(context: ProviderContext, callback: URL, pending: ProviderPending): Promise<Issued> {
  const { at, client, callbackUrl, options, isOpenId } = context;
  const { codeVerifier, nonce, state } = pending;
  const secrets = [...callback.searchParams.getAll('code'), codeVerifier, nonce, state];
  const server = await context.metadata();
  const parameters = await at('callback', secrets, async () => {
    try {
      return oauth.validateAuthResponse(server, client, callback, state);
    } catch (error) {
      throw refusalOfCallback(error);
    }
  });
  const auth = context.authentication(server);
  const response = await at('token', secrets, () =>
    oauth.authorizationCodeGrantRequest(server, client, auth, parameters, callbackUrl, codeVerifier, options),
  );
  // The signature needs no check: the ID token came from the provider itself over TLS (OpenID Connect Core, 3.1.3.7).
  const expected = isOpenId ? { expectedNonce: nonce, requireIdToken: true } : {};
  const answer = await at('id-token', secrets, () =>
    oauth.processAuthorizationCodeResponse(server, client, response, expected),
  );
  return issued(context, answer);
}

export async function refreshTokens(context: ProviderContext, tokens: ProviderTokens): Promise<Issued> {
  const { at, client } = context;
  const { refreshToken, accessToken, idTokenSubject } = tokens;
  if (refreshToken === undefined)
    throw new ProviderError('revoked', `The sign-in at ${titleOf(context.provider)} has expired. Sign in again.`, {
      step: 'refresh',
      reason: 'There is no refresh token.',
    });
  const server = await context.metadata();
  return at('refresh', [refreshToken, accessToken], async () => {
    const response = await refreshRequest(context, server, refreshToken, tokens.scopes);
    const answer = await oauth.processRefreshTokenResponse(server, client, response);
    const subject = oauth.getValidatedIdTokenClaims(answer)?.sub;
    if (subject !== undefined && subject !== idTokenSubject) throw otherUser(context);
    return issued(context, answer, tokens);
  });
}

/** A provider that wants the scopes again gets them: the first request costs nothing there. */
async function refreshRequest(
  context: ProviderContext,
  server: oauth.AuthorizationServer,
  refreshToken: string,
  scopes: readonly string[],
): Promise<Response> {
  const { client, options } = context;
  const auth = context.authentication(server);
  try {
    return await oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, options);
  } catch (error) {
    if (!(error instanceof Refusal) || error.error !== 'invalid_request' || scopes.length === 0) throw error;
    const additionalParameters = { scope: scopes.join(' ') };
    return oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, { ...options, additionalParameters });
  }
}

export async function revokeTokens(context: ProviderContext, tokens: ProviderTokens): Promise<void> {
  const { at, client, options } = context;
  const { accessToken, refreshToken } = tokens;
  const server = await context.metadata();
  if (server.revocation_endpoint === undefined) return;
  await at('revocation', [accessToken, refreshToken], async () => {
    const auth = context.authentication(server);
    const response = await oauth.revocationRequest(server, client, auth, refreshToken ?? accessToken, options);
    await oauth.processRevocationResponse(response);
  });
}

export const otherUser = ({ provider }: ProviderContext): ProviderError =>
  new ProviderError('revoked', `${titleOf(provider)} names another user now. Sign in again.`, {
    step: 'refresh',
    reason: 'another subject',
  });

/** `before` are the tokens that were refreshed: what is not sent again remains. */
function issued(
  { now, provider }: ProviderContext,
  answer: oauth.TokenEndpointResponse,
  before?: ProviderTokens,
): Issued {
  const idToken = oauth.getValidatedIdTokenClaims(answer);
  const refreshToken = answer.refresh_token ?? before?.refreshToken;
  const subject = idToken?.sub ?? before?.idTokenSubject;
  // GitHub separates scopes with commas.
  const scopes = answer.scope?.split(/[ ,]+/).filter((scope) => scope !== '');
  const tokens = {
    accessToken: answer.access_token,
    ...(answer.expires_in !== undefined && { expiresAt: now() + answer.expires_in * 1000 }),
    ...(refreshToken !== undefined && { refreshToken }),
    scopes: scopes ?? before?.scopes ?? provider.scopes ?? [],
    ...(subject !== undefined && { idTokenSubject: subject }),
  };
  return { tokens, idToken };
}
