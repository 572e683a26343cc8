/** Reads the user of a sign-in: calls `user` of the provider, checks what it returns, and turns groups into roles. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isFilledString, isRecord } from '../../lib/values/is.ts';
import { defaultUser, hasRoles, maxRoles, nameIn } from '../providers/default-user.ts';
import type { ProviderSignIn, ProviderUser, SignInProvider } from '../providers/sign-in-provider.ts';
import type { ProviderTokens } from './provider-client.ts';
import type { ProviderContext } from './provider-context.ts';
import { ProviderError, Refusal } from './provider-error.ts';
import { providerErrorOf, quoted, sentences, titleOf } from './refusals.ts';

/**
 * Characters of the subject, the name and each role of a user.
 * @limit auth-server
 * @beyond the sign-in fails
 */
const maxTextChars = 255;

/**
 * Bytes of a user with subject, name, roles and claims, as JSON: each access token has them, and servers refuse long ones.
 * @limit auth-server
 * @beyond the sign-in fails
 */
const maxUserBytes = 3500;

type Claims = Readonly<Record<string, unknown>>;

/**
 * The claims of a sign-in. A provider may have those of the user at its userinfo endpoint only (OpenID Connect Core, 5.4): they
 * are added where the ID token lacks a name or groups. A function `user` reads what it needs by itself.
 */
export async function claimsOf(
  context: ProviderContext,
  { accessToken }: ProviderTokens,
  idToken: Claims | undefined,
): Promise<Claims | undefined> {
  if (idToken === undefined || context.provider.user !== undefined) return idToken;
  if (nameIn(idToken) !== undefined && hasRoles(idToken)) return idToken;
  const { userinfo_endpoint: url } = await context.metadata();
  if (url === undefined) return idToken;
  const found = await callApi(context, accessToken, url).catch((error: ProviderError) => {
    // The user is known without it. Without an answer, the user might lose roles.
    if (error.code === 'unreachable') throw error;
  });
  // Claims of another user do not count (OpenID Connect Core, 5.3.2).
  if (!isRecord(found) || found.sub !== idToken.sub) return idToken;
  const { groups: _groups, roles: _roles, ...others } = found;
  return { ...(hasRoles(idToken) ? others : found), ...idToken };
}

/** Rejects with a `ProviderError`. */
export async function readUser(
  context: ProviderContext,
  { accessToken, scopes }: ProviderTokens,
  idToken: Claims | undefined,
): Promise<ProviderUser> {
  const { provider } = context;
  const title = titleOf(provider);
  const found: ProviderSignIn = {
    ...(idToken !== undefined && { idToken }),
    scopes,
    api: (url) => callApi(context, accessToken, url),
  };
  try {
    const user = mapped(provider, checked(title, await (provider.user ?? defaultUser)(found)));
    checkSize(title, user);
    return user;
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    const reason = quoted(error instanceof Error ? error.message : String(error), [accessToken]);
    if (error instanceof TenonError && error.code === 'forbidden')
      throw new ProviderError('not-allowed', reason, { step: 'user', reason });
    const text = `The account of ${title} could not be read. The log of the server says why.`;
    throw new ProviderError('misconfigured', text, { step: 'user', reason });
  }
}

async function callApi(context: ProviderContext, accessToken: string, url: string): Promise<unknown> {
  const { provider } = context;
  try {
    const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json', 'user-agent': 'tenon' };
    const response = await context.send(url, { headers });
    const { status } = response;
    if (status === 401)
      throw new ProviderError('revoked', `The sign-in at ${titleOf(provider)} has ended. Sign in again.`, {
        step: 'user',
        url,
        status,
      });
    if (status === 403 || status === 404)
      throw new ProviderError(
        'misconfigured',
        sentences(`${titleOf(provider)} does not allow to read ${url} (${status}).`, provider.settings?.groups),
        { step: 'user', url, status },
      );
    if (!response.ok) throw new Refusal(status, `status ${status}`);
    return await response.json();
  } catch (error) {
    throw providerErrorOf(context, error, { step: 'user', url }, [accessToken]);
  }
}

const isText = (value: unknown): value is string => isFilledString(value) && value.length <= maxTextChars;

function checked(title: string, user: ProviderUser): ProviderUser {
  const wrong = (what: string): Error => new Error(`user of ${title} returned ${what}`);
  if (!isRecord(user) || !isText(user.subject)) throw wrong(`no subject of 1 to ${maxTextChars} characters`);
  const { subject, name, roles = [], claims = {} } = user;
  if (name !== undefined && typeof name !== 'string') throw wrong('a name that is no text');
  if (!Array.isArray(roles) || !roles.every(isText)) throw wrong('roles that are no list of texts');
  if (!isRecord(claims)) throw wrong('claims that are no object');
  return {
    subject,
    ...(name !== undefined && { name: name.slice(0, maxTextChars) }),
    roles: roles.slice(0, maxRoles),
    claims,
  };
}

/** The access token would be too long for every server: better no sign-in than one after which all calls fail. */
function checkSize(title: string, user: ProviderUser): void {
  if (Buffer.byteLength(JSON.stringify(user)) <= maxUserBytes) return;
  throw new TenonError('forbidden', `Your ${title} account has too many groups or claims for an access token.`, {
    hint: 'Send only groups that are assigned to the application, or list those that count in roles.',
  });
}

function mapped({ roles: byGroup }: SignInProvider, user: ProviderUser): ProviderUser {
  if (byGroup === undefined) return user;
  const roles = (user.roles ?? []).flatMap((group) =>
    Object.hasOwn(byGroup, group) ? [byGroup[group] as string] : [],
  );
  return { ...user, roles: [...new Set(roles)] };
}

/** Settings that are probably wrong although the user could sign in. */
export function warningsOf(
  provider: SignInProvider,
  { roles = [] }: ProviderUser,
  tokens: ProviderTokens,
  idToken: Claims | undefined,
): string[] {
  const title = titleOf(provider);
  const { settings = {} } = provider;
  const isWithoutGroups =
    provider.roles !== undefined && roles.length === 0 && idToken !== undefined && !hasRoles(idToken);
  const isShort = tokens.expiresAt !== undefined && tokens.refreshToken === undefined;
  return [
    isWithoutGroups && sentences(`${title} sent no groups, so that no role could be given.`, settings.groups),
    isShort &&
      sentences(`${title} sent no refresh token: users sign in again when its token expires.`, settings.refresh),
  ].filter((one) => one !== false);
}
