/** The client at a sign-in provider: begins and completes sign-ins, and checks later whether they still hold. */
import type { SignInProvider } from '../providers/sign-in-provider.ts';
import { authorizationRequest, requestedScopes } from './authorization-request.ts';
import type { ProviderClient, ProviderClientSettings, ProviderTokens, SignedIn } from './provider-client.ts';
import { createContext, type ProviderContext } from './provider-context.ts';
import { findProblems } from './provider-problems.ts';
import { claimsOf, readUser, warningsOf } from './signed-in-user.ts';
import { exchangeCode, otherUser, refreshTokens, revokeTokens } from './token-requests.ts';

export function createProviderClient(provider: SignInProvider, settings: ProviderClientSettings): ProviderClient {
  const context = createContext(provider, settings);
  return {
    scopes: () => requestedScopes(context),
    begin: async () => authorizationRequest(context, await context.metadata()),

    async complete(callback, pending) {
      const { tokens, idToken } = await exchangeCode(context, callback, pending);
      const claims = await claimsOf(context, tokens, idToken);
      const user = await readUser(context, tokens, claims);
      const warnings = warningsOf(provider, user, tokens, claims);
      return { user, tokens, ...(warnings.length > 0 && { warnings }) };
    },

    check: (signedIn) => checkUser(context, signedIn),
    refresh: async (tokens) => (await refreshTokens(context, tokens)).tokens,
    revoke: (tokens) => revokeTokens(context, tokens),
    findProblems: () => findProblems(context),
  };
}

/** With OpenID Connect a refresh says whether the user is still allowed, otherwise the API does. */
async function checkUser(context: ProviderContext, { user, tokens: before }: SignedIn): Promise<SignedIn> {
  const { isOpenId, now } = context;
  const isExpired = before.expiresAt !== undefined && before.expiresAt <= now();
  const isRefreshed = isExpired || (isOpenId && before.refreshToken !== undefined);
  const { tokens, idToken } = isRefreshed
    ? await refreshTokens(context, before)
    : { tokens: before, idToken: undefined };
  if (isOpenId && idToken === undefined) {
    if (!isRefreshed) await checkAccessToken(context, tokens);
    return { user, tokens };
  }
  const found = await readUser(context, tokens, await claimsOf(context, tokens, idToken));
  if (found.subject !== user.subject) throw otherUser(context);
  return { user: found, tokens };
}

/** Without a refresh token, the provider still says whose its access token is. */
async function checkAccessToken(context: ProviderContext, tokens: ProviderTokens): Promise<void> {
  const { userinfo_endpoint: url } = await context.metadata();
  if (url === undefined) return;
  const provider: SignInProvider = {
    ...context.provider,
    user: async ({ api }) => ({ subject: String(((await api(url)) as { readonly sub?: unknown } | null)?.sub ?? '') }),
  };
  const { subject } = await readUser({ ...context, provider }, tokens, undefined);
  if (subject !== tokens.idTokenSubject) throw otherUser(context);
}
