/** A node of an authorization server without pages: oidc-provider on the storage, over HTTP. Codes are issued by the test. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errors, Provider } from 'oidc-provider';
import type { Store } from 'tenon/store';
import { publishedKeyMs, signingKeyMs } from '../../../src/auth-server/options.ts';
import { Secrets } from '../../../src/auth-server/secrets.ts';
import { approved, isValid, signedIn } from '../../../src/auth-server/storage/account.ts';
import type { EngineErrors } from '../../../src/auth-server/storage/engine-adapter.ts';
import { type AuthorizationStorage, openStorage } from '../../../src/auth-server/storage/open-storage.ts';
import type { StorageReport } from '../../../src/auth-server/storage/refresh-exchanges.ts';
import type { TextSeals } from '../../../src/auth-server/storage/sealed-rows.ts';

export const engineSecret = 'a secret of the authorization server, long';
export const issuer = 'https://auth.example.com';
export const resource = 'https://mcp.example.com/mcp';
export const redirectUri = 'https://client.example.com/callback';
export const clientId = 'app';

export const textSeals = (secrets: readonly string[]): TextSeals => new Secrets(secrets);

/** A code, with what its exchange needs. */
export interface IssuedCode {
  readonly code: string;
  readonly verifier: string;
  readonly grantId: string;
}

export interface TokenAnswer {
  readonly status: number;
  readonly body: {
    readonly access_token?: string;
    readonly refresh_token?: string;
    readonly error?: string;
    readonly [name: string]: unknown;
  };
}

export interface EngineNode {
  readonly url: string;
  readonly storage: AuthorizationStorage;
  /** The events that were reported, by type. */
  readonly events: Parameters<StorageReport>[0][];
  /** A user approves the client. */
  issueCode(subject: string): Promise<IssuedCode>;
  exchange(code: IssuedCode, headers?: HeadersInit): Promise<TokenAnswer>;
  refresh(token: string, more?: Readonly<Record<string, string>>, headers?: HeadersInit): Promise<TokenAnswer>;
  close(): Promise<void>;
}

export interface EngineNodeOptions {
  readonly store: Store;
  readonly secrets?: readonly string[];
  readonly graceMs?: number;
  readonly now?: () => number;
}

/** The classes of oidc-provider that its types here leave out. */
interface Models {
  readonly AuthorizationCode: new (facts: object) => { save(): Promise<string> };
}

const scope = 'openid files:read';
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

export async function startEngineNode(options: EngineNodeOptions): Promise<EngineNode> {
  const { store, secrets = [engineSecret], graceMs = 30_000, now = () => Date.now() } = options;
  const events: Parameters<StorageReport>[0][] = [];
  let provider: Provider;
  const storage = await openStorage({
    store,
    issuer,
    seals: textSeals(secrets),
    lifetimes: { accessTokenMs: 600_000, grantMs: 90 * 86_400_000, refreshGraceMs: graceMs },
    maxFlows: 100,
    errors: errors as unknown as EngineErrors,
    current: () => (Provider as unknown as { readonly ctx?: object }).ctx,
    onKeys: () => (provider = createProvider(storage)),
    report: (event) => void events.push(event),
    now,
    schedule: { signingKeyMs, publishedKeyMs },
  });
  provider = createProvider(storage);
  const server = createServer((request, response) => {
    void provider.callback()(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function token(parameters: Readonly<Record<string, string>>, headers: HeadersInit = {}): Promise<TokenAnswer> {
    const body = new URLSearchParams({ client_id: clientId, ...parameters });
    const response = await fetch(`${url}/token`, { method: 'POST', body, headers });
    return { status: response.status, body: (await response.json()) as TokenAnswer['body'] };
  }

  return {
    url,
    storage,
    events,
    async issueCode(subject) {
      const moment = now();
      await storage.accounts.update(subject, (account) => {
        const user = signedIn(account, subject, { subject }, { accessToken: 'of the provider', scopes: [] }, moment);
        return approved(user, clientId, { name: 'App', redirectUri, scopes: ['files:read'] }, moment);
      });
      const grant = new provider.Grant({ accountId: subject, clientId });
      grant.addOIDCScope('openid');
      grant.addResourceScope(resource, 'files:read');
      const grantId = await grant.save();
      const verifier = randomBytes(32).toString('base64url');
      const { AuthorizationCode } = provider as unknown as Models;
      const code = new AuthorizationCode({
        accountId: subject,
        authTime: Math.floor(moment / 1000),
        client: await provider.Client.find(clientId),
        codeChallenge: digest(verifier),
        codeChallengeMethod: 'S256',
        grantId,
        redirectUri,
        resource,
        scope,
      });
      return { code: await code.save(), verifier, grantId };
    },
    exchange: ({ code, verifier }, headers) =>
      token({ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }, headers),
    refresh: (refreshToken, more, headers) =>
      token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...more }, headers),
    async close() {
      storage.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createProvider(storage: AuthorizationStorage): Provider {
  const provider = new Provider(issuer, {
    adapter: storage.adapter,
    jwks: { keys: storage.keys.current().keys },
    cookies: { keys: [engineSecret] },
    clients: [
      {
        client_id: clientId,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    responseTypes: ['code'],
    pkce: { required: () => true },
    scopes: ['openid'],
    async findAccount({ oidc }: { oidc: { entities: Record<string, { iat?: number } | undefined> } }, id: string) {
      const account = await storage.accounts.read(id);
      // That of the grant: a refresh that began before a revocation must not outlive it.
      if (!isValid(account, clientId, oidc.entities.Grant?.iat ?? 0)) return undefined;
      return { accountId: id, claims: () => ({ sub: id }) };
    },
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    expiresWithSession: () => false,
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, RefreshToken: 14 * 86_400, Grant: 90 * 86_400 },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          audience: resource,
          scope: 'files:read',
          accessTokenFormat: 'jwt',
          accessTokenTTL: 600,
          jwt: { sign: { alg: 'ES256', kid: storage.keys.current().kid } },
        }),
      },
    },
  });
  provider.use(storage.refreshes as never);
  return provider;
}
