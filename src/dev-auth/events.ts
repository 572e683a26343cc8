/** What happens at the server, for tests: who signed in, which tokens were issued or refused. */
import type { Context, Provider } from 'oidc-provider';

/** Something that happened at the development authorization server. It contains no token and no code. */
export type DevAuthEvent =
  /** A client registered itself. */
  | { readonly type: 'registered'; readonly client: string }
  /** A person allowed or denied a client. */
  | { readonly type: 'authorized' | 'denied'; readonly client: string; readonly user: string }
  /** A token was issued: one redemption of a code, a refresh token, a device code, or credentials. */
  | { readonly type: 'token-issued'; readonly client: string; readonly grantType: string }
  /** A token request failed. */
  | {
      readonly type: 'token-refused';
      readonly client: string | undefined;
      readonly grantType: string;
      readonly error: string;
    }
  /** A client revoked a token, or the reuse of one revoked all of its grant. */
  | { readonly type: 'revoked'; readonly client: string }
  /** The server failed: a mistake in its configuration, or of its own. */
  | { readonly type: 'failed'; readonly error: string };

/** Passes the events of the provider on. */
export function reportEvents(provider: Provider, onEvent: (event: DevAuthEvent) => void): void {
  const clientOf = ({ oidc }: Context): string => oidc.client?.clientId ?? '';
  const grantOf = ({ oidc }: Context): string => oidc.params?.grant_type ?? '';
  provider.on('registration_create.success', (_: Context, client: { readonly clientId: string }) => {
    onEvent({ type: 'registered', client: client.clientId });
  });
  provider.on('grant.success', (context: Context) => {
    onEvent({ type: 'token-issued', client: clientOf(context), grantType: grantOf(context) });
  });
  provider.on('grant.error', (context: Context, error: { readonly error?: string }) => {
    onEvent({
      type: 'token-refused',
      client: clientOf(context) || undefined,
      grantType: grantOf(context),
      error: error.error ?? 'server_error',
    });
  });
  provider.on('grant.revoked', (context: Context) => {
    onEvent({ type: 'revoked', client: clientOf(context) });
  });
  provider.on('server_error', (_: Context, error: Error) => {
    onEvent({ type: 'failed', error: error.message });
  });
}
