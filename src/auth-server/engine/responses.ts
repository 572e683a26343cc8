/** Changes responses of the engine: its metadata says what this server supports, and browsers may register clients. */
import type { Context, Provider } from 'oidc-provider';
import { errorPage, pageHeaders } from '../../auth-pages/index.ts';
import { isLoopbackUri } from '../clients/redirect-uris.ts';
import type { Parts } from '../parts.ts';
import type { AuthorizationServerSettings } from '../settings.ts';
import { paths } from './paths.ts';

type Body = Record<string, unknown>;

export function changeResponses(provider: Provider, { resources, settings }: Parts): void {
  const { title, name } = settings.signIn;
  provider.use(async (context, next) => {
    if (context.path === paths.registration && answerRegistrationPreflight(context)) return;
    await next();
    if (context.path === paths.authorization) stopRedirect(context, settings);
    const { path, status } = context;
    if (path === paths.registration) context.set('access-control-allow-origin', '*');
    if (status !== 200) return;
    if (path === paths.metadata || path === paths.openIdMetadata)
      changeMetadata(context.body as Body, resources.scopes, title ?? name);
    // An empty scope is not valid (RFC 6749, 3.3).
    if (path === paths.token && (context.body as Body).scope === '') delete (context.body as Body).scope;
  });
}

/**
 * A request with an error goes back to its client at once, without the user. A link to this server would so lead anywhere
 * that any client has registered: the user decides instead (OAuth 2.1, 7.12.2), unless the author knows the client, or the
 * address is on this computer.
 */
function stopRedirect(context: Context, { clients, texts }: AuthorizationServerSettings): void {
  const { location } = context.response.headers;
  if (location === undefined || !URL.canParse(location)) return;
  const { client, provider } = context.oidc;
  const isTrusted = clients.known.some(({ clientId }) => clientId === client.clientId);
  const url = new URL(location);
  if (isTrusted || isLoopbackUri(location) || url.origin === provider.issuer) return;
  context.remove('location');
  context.status = 400;
  for (const [name, value] of Object.entries(pageHeaders)) context.set(name, value);
  const error =
    url.searchParams.get('error_description') ?? new URLSearchParams(url.hash.slice(1)).get('error_description');
  const text = `The application has sent a request that is not valid: ${error ?? 'no reason is known'}.`;
  context.body = errorPage({ text, link: url, texts });
}

/** Registration needs no credentials: a page of any origin may read the answer. */
function answerRegistrationPreflight(context: Context): boolean {
  if (context.method !== 'OPTIONS') return false;
  context.status = 204;
  context.set('access-control-allow-origin', '*');
  context.set('access-control-allow-methods', 'POST');
  context.set('access-control-allow-headers', 'content-type, mcp-protocol-version');
  context.set('access-control-max-age', '3600');
  return true;
}

/** Users have no ID tokens here: what is about them is left out. */
function changeMetadata(metadata: Body, scopes: readonly string[], provider: string): void {
  const { claims_supported: _claims, claims_parameter_supported: _parameter, ...supported } = metadata;
  for (const name of Object.keys(metadata)) delete metadata[name];
  Object.assign(metadata, supported, {
    scopes_supported: scopes,
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    // `tenon doctor` checks the sign-in where this is: a client that registers here leaves nothing behind.
    tenon_sign_in: provider,
  });
}
