/** The configuration of oidc-provider: everything that MCP clients use, with pages and storage of our own. */
import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Client, Context, errors } from 'oidc-provider';
import { completeClient, relaxMetadata } from './clients.ts';
import { githubRoutes, githubScopes } from './github.ts';
import { deviceCodePage, deviceConfirmPage, errorPage, messagePage } from './html.ts';
import { createMemoryAdapter } from './memory-adapter.ts';
import { applyOfflineQuirk, checkRefreshQuirk, type HasQuirk } from './quirks.ts';
import { ownScopes, resourceIndicators } from './resource-servers.ts';
import type { DevAuthSettings } from './settings.ts';
import { accounts } from './user-claims.ts';

const seconds = (ms: number): number => Math.ceil(ms / 1000);

/** The signing key, new at every start. */
export async function createSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: randomBytes(8).toString('hex') };
}

export function createConfiguration(
  settings: DevAuthSettings,
  signingKey: JWK,
  has: HasQuirk,
  oauthErrors: typeof errors,
): Readonly<Record<string, unknown>> {
  const { users, clients, maxEntries, clientDocuments } = settings;
  const { accessTokenMs, refreshTokenMs, codeMs, deviceCodeMs } = settings.lifetimes;
  const day = 86_400;
  return {
    adapter: createMemoryAdapter(maxEntries),
    jwks: { keys: [signingKey] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    clients: clients.map(completeClient),
    clientDefaults: {
      id_token_signed_response_alg: 'ES256',
      ...(has('post-only') ? { token_endpoint_auth_method: 'client_secret_post' } : {}),
      ...(has('dpop-nonce') ? { dpop_bound_access_tokens: true } : {}),
    },
    clientAuthMethods: has('post-only')
      ? ['client_secret_post', 'none']
      : ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    enabledJWA: { idTokenSigningAlgValues: ['ES256'], userinfoSigningAlgValues: ['ES256'] },
    responseTypes: ['code'],
    pkce: { required: () => true },
    scopes: scopesOfServer(settings, has),
    // oidc-provider grants nothing to a request without scopes; this is the one function that may change the request.
    extraParams: {
      access_type: (context: Context) => applyOfflineQuirk(has, context, oauthErrors),
      audience: ({ oidc }: Context) => {
        oidc.params.scope ??= has('no-oidc') ? githubScopes[0] : 'openid';
      },
    },
    // Only so that `validator` sees the metadata of every client.
    extraClientMetadata: {
      properties: ['software_version'],
      validator: (_context: Context, _key: string, _value: unknown, metadata: Record<string, unknown>) =>
        relaxMetadata(metadata),
    },
    clientBasedCORS: (_context: Context, origin: string, client: Client) =>
      client.redirectUris.some((uri) => URL.canParse(uri) && new URL(uri).origin === origin),
    ...accounts(users, has),
    ...(has('no-oidc') ? { routes: githubRoutes } : {}),
    interactions: { url: (_context: Context, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: (_context: Context, client: Client, { scopes }: { readonly scopes: ReadonlySet<string> }) =>
      client.grantTypeAllowed('refresh_token') && (!has('refresh-by-parameter') || scopes.has('offline_access')),
    expiresWithSession: () => false,
    rotateRefreshToken: (context: Context) => {
      // The one function of a refresh that may still refuse it.
      checkRefreshQuirk(has, context, oauthErrors);
      return has('rotates-refresh-tokens') || context.oidc.client.clientAuthMethod === 'none';
    },
    ttl: {
      AccessToken: seconds(accessTokenMs),
      ClientCredentials: seconds(accessTokenMs),
      RefreshToken: seconds(refreshTokenMs),
      AuthorizationCode: seconds(codeMs),
      DeviceCode: seconds(deviceCodeMs),
      IdToken: 3600,
      Interaction: 3600,
      Session: day,
      Grant: 14 * day,
    },
    renderError: (context: Context, { error, error_description: text = '' }: Record<string, string>) => {
      context.type = 'html';
      context.body = errorPage(error ?? 'error', text);
    },
    features: features(settings, has, oauthErrors),
    fetch: fetchDocument(clientDocuments),
  };
}

const scopesOfServer = ({ scopes = githubScopes }: DevAuthSettings, has: HasQuirk): readonly string[] =>
  has('no-oidc') ? [...ownScopes, ...scopes] : ownScopes;

function features(settings: DevAuthSettings, has: HasQuirk, oauthErrors: typeof errors): Record<string, unknown> {
  return {
    devInteractions: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    clientCredentials: { enabled: true },
    registration: { enabled: !has('no-registration') },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    revocation: {
      enabled: true,
      allowedPolicy: (_: Context, client: Client, token: { readonly clientId: string }) =>
        token.clientId === client.clientId,
    },
    introspection: {
      enabled: true,
      allowedPolicy: (_: Context, { clientAuthMethod }: Client) => clientAuthMethod !== 'none',
    },
    dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => has('dpop-nonce') },
    deviceFlow: {
      enabled: true,
      userCodeInputSource: (context: Context, form: string, _out: unknown, error?: Error) => {
        context.body = deviceCodePage(form, error !== undefined);
      },
      userCodeConfirmSource: (context: Context, form: string, client: Client, _device: unknown, code: string) => {
        context.body = deviceConfirmPage(form, client.clientName ?? client.clientId, code);
      },
      successSource: (context: Context) => {
        context.body = messagePage('Signed in', 'You can close this page and return to your device.');
      },
    },
    resourceIndicators: resourceIndicators(settings, has, oauthErrors),
  };
}

/** Documents of the options are not fetched, so that tests need no network. */
const fetchDocument =
  (documents: DevAuthSettings['clientDocuments'] = {}) =>
  async (url: string | URL, init: RequestInit): Promise<Response> => {
    const known = documents[String(url)];
    return known === undefined ? fetch(url, { ...init, signal: AbortSignal.timeout(10_000) }) : Response.json(known);
  };
