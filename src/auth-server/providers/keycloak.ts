/** Keycloak as a sign-in provider. */
import { isSecureUrl } from '../../auth/secure-url.ts';
import { wrong } from '../../lib/options/option-rules.ts';
import { isFilledString } from '../../lib/values/is.ts';
import { type ProviderClientOptions, withOptions } from './provider-options.ts';
import type { SignInProvider } from './sign-in-provider.ts';

/** What `keycloak` takes. */
export interface KeycloakOptions extends ProviderClientOptions {
  /** Its URL, without the realm: `https://login.example.com`. */
  readonly url: string;
  /** The realm. */
  readonly realm: string;
}

/**
 * Sign-in with Keycloak.
 *
 * ```ts
 * keycloak({ url: 'https://login.example.com', realm: 'acme', clientId, clientSecret });
 * ```
 */
export function keycloak(options: KeycloakOptions): SignInProvider {
  const { url, realm } = options;
  if (!isSecureUrl(url)) throw wrong('keycloak()', 'url', "be an https URL such as 'https://login.example.com'");
  if (!isFilledString(realm)) throw wrong('keycloak()', 'realm', "be the name of a realm such as 'acme'");
  return withOptions(
    {
      name: 'keycloak',
      title: 'Keycloak',
      issuer: `${url.replace(/\/+$/, '')}/realms/${encodeURIComponent(realm)}`,
      // Without `offline_access` the refresh token ends with the session at Keycloak, after 30 idle minutes.
      scopes: ['openid', 'profile', 'email', 'offline_access'],
      settings: {
        callback: 'It is one of "Valid redirect URIs" of the client.',
        client: 'Turn "Client authentication" on; the secret is at Credentials of the client.',
        groups:
          'Add the mapper "Group Membership" with the claim name groups to the client scope, with "Add to ID token" on and "Full group path" off.',
        refresh: 'Assign the client scope offline_access to the client.',
        access: 'Give the user the role that the flow of the realm requires.',
      },
    },
    options,
  );
}
