/** Okta as a sign-in provider: its organization server, or a custom authorization server. */
import { wrong } from '../../lib/options/option-rules.ts';
import { parseUrl } from '../../lib/text/parse-url.ts';
import { type ProviderClientOptions, withOptions } from './provider-options.ts';
import type { SignInProvider } from './sign-in-provider.ts';

/** What `okta` takes. */
export interface OktaOptions extends ProviderClientOptions {
  /** The domain: `example.okta.com`. */
  readonly domain: string;
  /** The ID of a custom authorization server, such as `default`. Default: the one of the organization, which suffices. */
  readonly authorizationServer?: string;
}

/**
 * Sign-in with Okta.
 *
 * ```ts
 * okta({ domain: 'example.okta.com', clientId, clientSecret, roles: { 'mcp-admins': 'admin' } });
 * ```
 */
export function okta(options: OktaOptions): SignInProvider {
  const { domain, authorizationServer } = options;
  const host = typeof domain === 'string' ? domain.replace(/^https:\/\/|\/+$/g, '') : '';
  const origin = `https://${host}`;
  if (parseUrl(origin)?.host !== host.toLowerCase())
    throw wrong('okta()', 'domain', "be a host such as 'acme.okta.com', without a path");
  const isCustom = authorizationServer !== undefined;
  return withOptions(
    {
      name: 'okta',
      title: 'Okta',
      issuer: isCustom ? `${origin}/oauth2/${authorizationServer}` : origin,
      // A custom server knows the scope `groups` only if it was added there.
      scopes: ['openid', 'profile', 'email', 'offline_access', ...(isCustom ? [] : ['groups'])],
      settings: {
        callback: 'It is one of "Sign-in redirect URIs" of the app integration.',
        client: 'Both are shown at "Client Credentials" of the app integration.',
        groups: isCustom
          ? 'Add a claim groups of the type ID Token to the authorization server.'
          : 'Set a groups claim filter at "Sign On" of the app integration.',
        refresh: 'Check "Refresh Token" at the grant types of the app integration.',
        access: isCustom
          ? 'Assign the user to the app integration, and add an access policy with a rule to the authorization server.'
          : 'Assign the user to the app integration.',
      },
    },
    options,
  );
}
