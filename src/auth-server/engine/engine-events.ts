/** What the engine does, as events. */
import type { Context, Provider } from 'oidc-provider';
import type { Report } from '../events.ts';

type OAuthError = Error & { readonly error?: string; readonly error_description?: string };

export function reportEngine(provider: Provider, report: Report): void {
  const owner = ({ oidc }: Context) => ({
    ...(oidc.client !== undefined && { client: oidc.client.clientId }),
    ...(oidc.entities.Account?.accountId !== undefined && { subject: oidc.entities.Account.accountId }),
  });
  const refused = (context: Context, error: OAuthError): void =>
    report({ type: 'refused', reason: error.error ?? error.message, cause: error, ...owner(context) });
  provider.on('registration_create.success', (_: Context, client: { readonly clientId: string }) =>
    report({ type: 'client-registered', client: client.clientId }),
  );
  provider.on('interaction.started', (context: Context) =>
    report({ type: 'authorization-requested', ...owner(context) }),
  );
  provider.on('grant.success', (context: Context) => report({ type: 'token-issued', ...owner(context) }));
  provider.on('grant.revoked', (context: Context) =>
    report({ type: 'revoked', reason: 'the grant has ended', ...owner(context) }),
  );
  for (const name of ['grant.error', 'authorization.error', 'registration_create.error', 'revocation.error'])
    provider.on(name, refused);
  const failed = (cause: Error): void => report({ type: 'failed', reason: 'The server failed.', cause });
  provider.on('server_error', (_: Context, error: Error) => failed(error));
  // Without a listener koa writes to standard error.
  provider.on('error', failed);
}
