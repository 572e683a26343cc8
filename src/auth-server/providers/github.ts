/** GitHub as a sign-in provider: OAuth without OpenID Connect, so that its API says who the user is. */
import { isSecureUrl } from '../../auth/secure-url.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { wrong } from '../../lib/options/option-rules.ts';
import { isFilledString, isRecord } from '../../lib/values/is.ts';
import { maxRoles } from './default-user.ts';
import { type ProviderClientOptions, withOptions } from './provider-options.ts';
import type { ProviderSignIn, ProviderUser, SignInProvider } from './sign-in-provider.ts';

/** What `github` takes. */
export interface GitHubOptions extends ProviderClientOptions {
  /** The URL of a GitHub Enterprise Server. Default: `https://github.com`. */
  readonly url?: string;
  /**
   * Whether teams are roles, as `organization/team`. An OAuth app then asks for `read:org`; a GitHub App needs the
   * permission "Members: read". Default false.
   */
  readonly teams?: boolean;
}

/**
 * Sign-in with GitHub, by an OAuth app or a GitHub App.
 *
 * ```ts
 * github({ clientId, clientSecret, teams: true, roles: { 'acme/mcp-admins': 'admin' } });
 * ```
 */
export function github(options: GitHubOptions): SignInProvider {
  const { url = 'https://github.com', teams = false } = options;
  if (!isSecureUrl(url)) throw wrong('github()', 'url', "be an https URL such as 'https://github.example.com'");
  const base = url.replace(/\/$/, '');
  const api = base === 'https://github.com' ? 'https://api.github.com' : `${base}/api/v3`;
  const { user = (found: ProviderSignIn) => userOf(found, api, teams) } = options;
  return withOptions(
    {
      name: 'github',
      title: 'GitHub',
      endpoints: {
        authorization: `${base}/login/oauth/authorize`,
        token: `${base}/login/oauth/access_token`,
      },
      scopes: teams ? ['read:org'] : [],
      user,
      settings: {
        callback: 'It is the "Authorization callback URL" of the OAuth app, or the "Callback URL" of the GitHub App.',
        client: 'Generate a new client secret at the app if it is lost.',
        groups: 'An organization must approve the OAuth app; a GitHub App needs the permission "Members: read".',
        refresh:
          'Tokens of a GitHub App expire only with "Expire user authorization tokens", which also sends refresh tokens.',
        access: 'An organization can restrict which apps its members use.',
      },
    },
    options,
  );
}

/** The subject is the number: an account can be renamed, and its old name belongs to another then. */
async function userOf({ api }: ProviderSignIn, url: string, teams: boolean): Promise<ProviderUser> {
  const account = await api(`${url}/user`);
  if (!isRecord(account) || !Number.isSafeInteger(account.id))
    throw new TenonError('invalid-message', 'GitHub sent an account without an id.');
  const { id, login, name, email } = account;
  const shown = [name, login].find(isFilledString);
  return {
    subject: String(id),
    ...(shown !== undefined && { name: shown }),
    roles: teams ? teamsIn(await api(`${url}/user/teams?per_page=${maxRoles}`)) : [],
    claims: { ...(isFilledString(login) && { login }), ...(isFilledString(email) && { email }) },
  };
}

const teamsIn = (found: unknown): string[] =>
  (Array.isArray(found) ? found : []).flatMap((team) =>
    isRecord(team) && isRecord(team.organization) ? [`${team.organization.login}/${team.slug}`] : [],
  );
