/** What the functions of all providers take: the client, and what may differ from their defaults. */
import type { SignInProvider } from './sign-in-provider.ts';

/** The client at a provider, and what replaces the defaults of the provider. */
export interface ProviderClientOptions
  extends Pick<SignInProvider, 'clientId' | 'clientSecret' | 'scopes' | 'parameters' | 'user' | 'roles'> {
  /** The name in subjects, `name:subject`. Default: that of the provider, such as `github`. */
  readonly name?: string;
}

/** A provider with what the author of the server has set. */
export const withOptions = (
  provider: Omit<SignInProvider, 'clientId' | 'clientSecret'>,
  { name, clientId, clientSecret, scopes, parameters, user, roles }: ProviderClientOptions,
): SignInProvider => ({
  ...provider,
  clientId,
  clientSecret,
  ...(name !== undefined && { name }),
  ...(scopes !== undefined && { scopes }),
  ...(parameters !== undefined && { parameters: { ...provider.parameters, ...parameters } }),
  ...(user !== undefined && provider.user === undefined && { user }),
  ...(roles !== undefined && { roles }),
});
