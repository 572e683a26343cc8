/** Google as a sign-in provider. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { defaultUser } from './default-user.ts';
import { type ProviderClientOptions, withOptions } from './provider-options.ts';
import type { SignInProvider } from './sign-in-provider.ts';

/** What `google` takes. */
export interface GoogleOptions extends ProviderClientOptions {
  /** The domain of a Google Workspace: only its accounts may sign in. Default: every Google account. */
  readonly hostedDomain?: string;
}

/**
 * Sign-in with Google. Its ID tokens have no groups: read roles in `user`.
 *
 * ```ts
 * google({ clientId, clientSecret, hostedDomain: 'example.com' });
 * ```
 */
export function google(options: GoogleOptions): SignInProvider {
  const { hostedDomain, user = defaultUser } = options;
  return withOptions(
    {
      name: 'google',
      title: 'Google',
      issuer: 'https://accounts.google.com',
      // `offline_access` is refused there: the parameters ask for a refresh token, and only a new consent gives one again.
      scopes: ['openid', 'profile', 'email'],
      parameters: {
        access_type: 'offline',
        prompt: 'consent',
        ...(hostedDomain !== undefined && { hd: hostedDomain }),
      },
      user: (found) => {
        // The parameter `hd` only preselects accounts: the user can choose another.
        if (hostedDomain !== undefined && found.idToken?.hd !== hostedDomain)
          throw new TenonError('forbidden', `This Google account is not one of ${hostedDomain}.`);
        return user(found);
      },
      settings: {
        callback: 'It is one of "Authorized redirect URIs" of the OAuth client in the Google Cloud console.',
        client: 'Both are shown at the OAuth client in the Google Cloud console.',
        groups: 'ID tokens of Google have no groups: read roles in user.',
        refresh: 'Remove parameters that replace access_type and prompt.',
        access: 'Add the user to the test users of the consent screen, or publish the app.',
      },
    },
    options,
  );
}
