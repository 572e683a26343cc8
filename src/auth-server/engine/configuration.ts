/** The configuration of oidc-provider: an authorization server for MCP clients, with users of another provider. */
import type { JWK } from 'jose';
import type { AccessToken, Client, Context, errors } from 'oidc-provider';
import { type Metadata, normalizeMetadata } from '../clients/client-metadata.ts';
import { maxDocumentBytes } from '../clients/documents.ts';
import { metadataProblem } from '../clients/redirect-uris.ts';
import { maxIdChars } from '../clients/sealed-client.ts';
import type { Parts } from '../parts.ts';
import { engineScope } from '../resources.ts';
import type { Account } from '../storage/account.ts';
import { paths } from './paths.ts';

/** What the configuration calls. */
export interface EnginePorts {
  readonly adapter: (model: string) => unknown;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly isDocumentAllowed: (clientId: string) => boolean;
  /** The account of a user; with `grantedAt`, in seconds, only if the client may still use what it was granted then. */
  findAccount(
    subject: string,
    clientId: string | undefined,
    grantedAt: number | undefined,
  ): Promise<Account | undefined>;
  /** Rejects if a refresh is refused, before the refresh token is used up. */
  checkRefresh(context: Context): Promise<void>;
  renderError(
    context: Context,
    error: { readonly error: string; readonly error_description?: string },
    cause: unknown,
  ): void;
}

/** A code or a refresh token: when it was issued, in seconds, or the first one of its grant. */
export interface IssuedSource {
  readonly iat?: number;
  readonly iiat?: number;
}

/** When the user allowed the client: all that it gets later is as old. */
const grantedAt = ({ entities }: Context['oidc'], { iiat, iat }: IssuedSource): number =>
  entities.Grant?.iat ?? iiat ?? iat ?? 0;

/** Claims to which those who verify a token give a meaning: they are never those of the user at the provider. */
const ofTokens: ReadonlySet<string> = new Set(['act', 'azp', 'cnf', 'may_act', 'nbf', 'scp']);

function tokenClaims({ oidc }: Context, _token: AccessToken): Record<string, unknown> {
  const { account } = oidc.entities.Account as unknown as { readonly account: Account };
  const { name, roles, claims = {} } = account.user;
  const own = Object.entries(claims).filter(([claim]) => !ofTokens.has(claim));
  return {
    ...Object.fromEntries(own),
    ...(name !== undefined && { name }),
    ...(roles !== undefined && { roles }),
    // A revocation ends what was granted before it, whenever the token was issued.
    auth_time: grantedAt(oidc, {}),
  };
}

const seconds = (ms: number): number => Math.ceil(ms / 1000);

/**
 * How long an authorization code is valid.
 * @limit auth-server
 * @default 1 min
 * @beyond `invalid_grant`
 */
const codeSeconds = 60;

/**
 * How long a sign-in may take, from the request of the client to its code.
 * @limit auth-server
 * @default 20 min
 * @beyond the user starts again at the client
 */
export const signInSeconds = 20 * 60;

export function createConfiguration(
  parts: Parts,
  keys: readonly JWK[],
  ports: EnginePorts,
  oauthErrors: typeof errors,
): Readonly<Record<string, unknown>> {
  const { settings, issuer, secrets, resources } = parts;
  const { refreshTokenMs, grantMs } = settings.lifetimes;
  const cookie = { httpOnly: true, sameSite: 'lax', secure: issuer.startsWith('https:') };
  const { authorization, token, registration, revocation, jwks } = paths;
  return {
    adapter: ports.adapter,
    jwks: { keys },
    routes: { authorization, token, registration, revocation, jwks },
    cookies: {
      keys: secrets.signatures('cookies', issuer),
      names: { interaction: 'tenon_sign_in', resume: 'tenon_resume', session: 'tenon_session' },
      short: cookie,
      long: cookie,
    },
    clientDefaults: { id_token_signed_response_alg: 'ES256', grant_types: ['authorization_code', 'refresh_token'] },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    enabledJWA: {
      idTokenSigningAlgValues: ['ES256'],
      dPoPSigningAlgValues: ['ES256', 'EdDSA', 'Ed25519', 'RS256', 'PS256'],
    },
    responseTypes: ['code'],
    pkce: { required: () => true },
    scopes: [engineScope],
    claims: { [engineScope]: ['sub'] },
    allowOmittingSingleRegisteredRedirectUri: false,
    extraClientMetadata: {
      // Only so that `validator` sees the metadata of every client.
      properties: ['software_version'],
      validator: (_context: Context, _key: string, _value: unknown, metadata: Metadata) => {
        const problem = metadataProblem(metadata);
        if (problem !== undefined) throw new oauthErrors.InvalidClientMetadata(problem);
        normalizeMetadata(metadata);
      },
    },
    clientBasedCORS: (_context: Context, origin: string, client: Client) =>
      client.redirectUris.some((uri) => new URL(uri).origin === origin),
    findAccount: async ({ oidc }: Context, subject: string, source?: IssuedSource) => {
      const account = await ports.findAccount(subject, oidc.client?.clientId, source && grantedAt(oidc, source));
      return account && { accountId: subject, claims: () => ({ sub: subject }), account };
    },
    extraTokenClaims: tokenClaims,
    interactions: { url: (_context: Context, { uid }: { readonly uid: string }) => `${paths.consent}/${uid}` },
    issueRefreshToken: (_context: Context, client: Client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    rotateRefreshToken: async (context: Context) => {
      await ports.checkRefresh(context);
      return true;
    },
    ttl: {
      AuthorizationCode: codeSeconds,
      RefreshToken: (_context: Context, source: IssuedSource) => {
        const now = Math.floor(Date.now() / 1000);
        return Math.max(1, Math.min(seconds(refreshTokenMs), (source.iiat ?? now) + seconds(grantMs) - now));
      },
      Grant: seconds(grantMs),
      Interaction: signInSeconds,
      Session: 60,
      IdToken: 60,
      // Of its own for each resource.
      AccessToken: seconds(settings.lifetimes.accessTokenMs),
    },
    renderError: ports.renderError,
    fetch: ports.fetch,
    fetchResponseBodyLimits: { 'client_id metadata document': maxDocumentBytes, jwks_uri: maxDocumentBytes },
    features: features(parts, ports, oauthErrors),
    discovery: { scopes_supported: resources.scopes },
  };
}

function features(parts: Parts, ports: EnginePorts, oauthErrors: typeof errors): Record<string, unknown> {
  const { settings, clients, resources } = parts;
  const { registration, documents } = settings.clients;
  const ids = new WeakMap<Context, string>();
  return {
    devInteractions: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    registration: {
      enabled: registration,
      issueRegistrationAccessToken: false,
      idFactory: (context: Context) => {
        const id = clients.idOf(registered(context.oidc.body));
        if (id.length > maxIdChars)
          throw new oauthErrors.InvalidClientMetadata('the metadata is too large: publish keys at a jwks_uri');
        ids.set(context, id);
        return id;
      },
      secretFactory: (context: Context) => clients.secretOf(ids.get(context) ?? ''),
    },
    clientIdMetadataDocument: {
      enabled: documents !== false,
      ack: 'draft-02',
      allowFetch: (_context: Context, id: string) => ports.isDocumentAllowed(id),
      allowClient: () => true,
    },
    revocation: {
      enabled: true,
      allowedPolicy: (_: Context, client: Client, token: { readonly clientId: string }) =>
        token.clientId === client.clientId,
    },
    dPoP: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_context: Context, _client: Client, oneOf?: readonly string[]) => {
        const [only, ...others] = oneOf ?? resources.all;
        if (others.length === 0) return only;
        throw new oauthErrors.InvalidTarget(`resource must be one of ${resources.all.join(', ')}`);
      },
      useGrantedResource: () => true,
      getResourceServerInfo: ({ oidc }: Context, resource: string) => {
        if (!resources.all.includes(resource))
          throw new oauthErrors.InvalidTarget(`this server issues tokens for ${resources.all.join(' and ')} only`);
        // The page names one: the client must get no token for another.
        if ([oidc.params.resource].flat().length > 1)
          throw new oauthErrors.InvalidTarget('name one resource: each needs a sign-in of its own');
        return {
          audience: resource,
          scope: resources.scopes.join(' '),
          accessTokenFormat: 'jwt',
          accessTokenTTL: seconds(settings.lifetimes.accessTokenMs),
          jwt: { sign: { alg: 'ES256' } },
        };
      },
    },
  };
}

/** What the ID of a registered client has: the same as the engine makes of it later. */
function registered(body: unknown): Metadata {
  const metadata: Metadata = { ...(body as Metadata), client_id_issued_at: Math.floor(Date.now() / 1000) };
  normalizeMetadata(metadata);
  return metadata;
}
