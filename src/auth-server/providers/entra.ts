/** Microsoft Entra ID as a sign-in provider: one tenant. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { defaultUser, hasGroupOverage } from './default-user.ts';
import { type ProviderClientOptions, withOptions } from './provider-options.ts';
import type { ProviderSignIn, ProviderUser, SignInProvider } from './sign-in-provider.ts';

/** What `entra` takes. */
export interface EntraOptions extends ProviderClientOptions {
  /** The "Directory (tenant) ID", which is a UUID. `common` and the others that stand for several tenants are refused. */
  readonly tenant: string;
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Sign-in with Microsoft Entra ID, formerly Azure AD. Roles are the app roles of the user, or their groups.
 *
 * ```ts
 * entra({ tenant: '72f988bf-86f1-41af-91ab-2d7cd011db47', clientId, clientSecret });
 * ```
 */
export function entra(options: EntraOptions): SignInProvider {
  const { tenant, user = userOf } = options;
  if (!uuid.test(tenant))
    throw new TenonError('invalid-argument', `entra(): tenant is not the ID of one tenant: ${tenant}.`, {
      hint: 'Write the "Directory (tenant) ID" of the app registration. With "common" every tenant could sign in.',
      details: { place: 'tenant' },
    });
  return withOptions(
    {
      name: 'entra',
      title: 'Microsoft',
      issuer: `https://login.microsoftonline.com/${tenant.toLowerCase()}/v2.0`,
      scopes: ['openid', 'profile', 'email', 'offline_access'],
      user: (found) => {
        if (String(found.idToken?.tid).toLowerCase() !== tenant.toLowerCase())
          throw new TenonError('forbidden', 'This Microsoft account belongs to another tenant.');
        return user(found);
      },
      settings: {
        callback: 'It is a redirect URI of the platform Web, at Authentication of the app registration.',
        client: 'Write the value of the secret, not its ID, and check that it has not expired.',
        groups: 'Define app roles and assign them, or add a groups claim at Token configuration.',
        refresh: 'Keep offline_access among the scopes.',
        access: 'Assign the user to the enterprise application, or allow all users at its properties.',
      },
    },
    options,
  );
}

/** `sub` differs for every app: `oid` is the user in all of the tenant. App roles come first, as groups are often all groups. */
function userOf(found: ProviderSignIn): ProviderUser {
  const { idToken = {} } = found;
  if (typeof idToken.oid !== 'string')
    throw new TenonError('forbidden', 'Microsoft sent no oid.', { hint: 'Keep profile among the scopes.' });
  if (hasGroupOverage(idToken))
    throw new TenonError('forbidden', 'Your Microsoft account has too many groups: none of them was sent.', {
      hint: 'Define app roles, or send only the groups that are assigned to the application.',
    });
  const roles = Array.isArray(idToken.roles) ? { ...idToken, groups: idToken.roles } : idToken;
  return { ...defaultUser({ ...found, idToken: roles }), subject: `${idToken.tid}.${idToken.oid}` };
}
