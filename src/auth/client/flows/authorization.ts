/** One authorization, from the challenge of a server to stored tokens: discovery, registration, grant. */
import type { AuthorizationServer } from 'oauth4webapi';
import type { Challenge } from '../discovery/challenge.ts';
import type { Discovery } from '../discovery/documents.ts';
import { findResourceMetadata } from '../discovery/resource-metadata.ts';
import { defaultServerMetadata, findServerMetadata } from '../discovery/server-metadata.ts';
import type { Granted } from '../grants/grant.ts';
import { createGuardedFetch } from '../guarded-fetch.ts';
import {
  type BindingKey,
  readRecord,
  replaceRecord,
  type StoredClient,
  type StoredServer,
  type StoredTokens,
  serverKey,
  tokensKey,
} from '../records.ts';
import { chooseClient } from '../registration/choose-client.ts';
import type { OAuthClient } from '../registration/client.ts';
import { selectScopes } from '../scopes.ts';
import type { ResolvedOptions } from '../settings.ts';
import { Steps } from '../steps.ts';
import { newBindingKey, proofsFor, requireBound } from '../tokens/binding.ts';
import { storedQuirks } from '../tokens/quirks.ts';
import { toStored } from '../tokens/stored-tokens.ts';
import { requestToken, type TokenEndpoint } from '../tokens/token-request.ts';
import { addKnownServer } from './known-servers.ts';

/** The resource, and the authorization server that issues tokens for it. */
export interface Authority {
  readonly server: AuthorizationServer;
  readonly resource: string;
  /** `scopes_supported` of the resource. */
  readonly scopes: readonly string[] | undefined;
}

/** Why there is an authorization. */
export interface AuthorizationNeed {
  readonly challenge: Challenge | undefined;
  /** `scope` of the challenge. */
  readonly challenged: readonly string[] | undefined;
  /** The access token that was refused or expires soon, if there is one. */
  readonly refused: string | undefined;
  /** Whether tokens are replaced before they expire: by others of the same kind. */
  readonly isAhead: boolean;
}

export const startDiscovery = (options: ResolvedOptions, serverUrl: string, signal: AbortSignal): Discovery => ({
  fetch: createGuardedFetch({
    fetch: options.fetch ?? options.targetFetches.get(serverUrl) ?? ((url, init) => fetch(url, init)),
    timeoutMs: options.requestMs,
    serverUrl,
  }),
  steps: new Steps(serverUrl, options.explain),
  signal,
});

/** Finds the authorization server of a server. */
export async function findAuthority(
  discovery: Discovery,
  options: ResolvedOptions,
  serverUrl: string,
  challenge: Challenge | undefined,
): Promise<Authority> {
  const { steps } = discovery;
  const metadata = await findResourceMetadata(discovery, serverUrl, challenge);
  if (metadata === undefined) return oldAuthority(discovery, serverUrl);
  const { resource, issuers, scopes } = metadata;
  const issuer = issuers.find((one) => one === options.client?.issuer) ?? (issuers[0] as string);
  const server = await findServerMetadata(discovery, issuer);
  if (server === undefined)
    throw steps.failure({
      step: 'server-metadata',
      url: issuer,
      found: 'The authorization server has no metadata.',
      rule: 'RFC 8414, 3.1',
      hint: 'Check authorization_servers of the MCP server, and that the authorization server publishes its metadata.',
    });
  return { server, resource, scopes };
}

/** In the first revision with authorization, servers are their own authorization servers. */
async function oldAuthority(discovery: Discovery, serverUrl: string): Promise<Authority> {
  const { origin, pathname } = new URL(serverUrl);
  const server = await findServerMetadata(discovery, origin, [`${origin}/`]);
  const resource = pathname === '/' && !serverUrl.includes('?') ? origin : serverUrl;
  if (server === undefined)
    discovery.steps.add({
      step: 'server-metadata',
      url: origin,
      found: 'The server has no metadata at all.',
      rule: 'MCP, first revision with authorization: endpoints at the origin of the server',
      next: 'use /authorize, /token and /register',
    });
  return { server: server ?? defaultServerMetadata(origin), resource, scopes: undefined };
}

/** The authorization server of stored tokens, or of a sign-in that is under way. */
export async function findServer(
  discovery: Discovery,
  serverUrl: string,
  issuer: string,
): Promise<AuthorizationServer | undefined> {
  const { origin } = new URL(serverUrl);
  return (
    (await findServerMetadata(discovery, issuer)) ?? (issuer === origin ? defaultServerMetadata(origin) : undefined)
  );
}

export async function tokenEndpoint(
  discovery: Discovery,
  options: ResolvedOptions,
  authority: Authority,
  bindingKey?: BindingKey,
): Promise<TokenEndpoint> {
  const { server, resource } = authority;
  const { store } = options;
  const quirks = { ...(await storedQuirks(store, server.issuer)), ...options.quirks };
  const dpop = bindingKey === undefined ? undefined : await proofsFor(bindingKey);
  return { ...discovery, server, resource, store, quirks, dpop };
}

/** The client that stored tokens were issued to. */
export function clientOf(
  { client: own, clientMetadataUrl }: ResolvedOptions,
  issuer: string,
  { clientId, registered }: StoredTokens,
): OAuthClient | undefined {
  if (own?.clientId === clientId && (own.issuer === undefined || own.issuer === issuer)) return own;
  if (clientMetadataUrl === clientId) return { clientId, issuer };
  return registered as OAuthClient | undefined;
}

/** Gets tokens and stores them. Of all processes, one does; the others use its tokens. */
export async function authorize(
  discovery: Discovery,
  options: ResolvedOptions,
  serverUrl: string,
  authority: Authority,
  need: AuthorizationNeed,
): Promise<StoredTokens> {
  const { store } = options;
  const { server, resource } = authority;
  const key = tokensKey(server.issuer, resource);
  await checkMigration(discovery, options, serverUrl, server.issuer);
  const release = await store.lock(key, discovery.signal);
  try {
    const before = await readRecord<StoredTokens>(store, key);
    if (before !== undefined && isEnough(before, need)) {
      const found = 'Another client has got tokens meanwhile.';
      discovery.steps.add({ step: 'store', found, rule: 'Tokens are stored by issuer and resource', next: 'use them' });
      return before;
    }
    const isAsked = need.isAhead ? before?.tokenType === 'dpop' : need.challenge?.scheme === 'dpop';
    const bindingKey = await newBindingKey(server, options.dpop, isAsked, discovery.steps);
    const endpoint = await tokenEndpoint(discovery, options, authority, bindingKey);
    const granted = await obtain(endpoint, options, serverUrl, authority, need, before);
    requireBound(server, granted.tokens, options.dpop, discovery.steps);
    return await storeGranted(options, serverUrl, authority, granted, bindingKey);
  } finally {
    await release();
  }
}

/** Tokens that have expired are of use if they can be refreshed. */
function isEnough(tokens: StoredTokens, { refused, challenged = [] }: AuthorizationNeed): boolean {
  const { accessToken, granted, refreshToken, expiresAt } = tokens;
  if (refreshToken === undefined && expiresAt !== undefined && expiresAt <= Date.now()) return false;
  return accessToken !== refused && challenged.every((scope) => granted.includes(scope));
}

/** A client that was used at one authorization server is not used at another. */
async function checkMigration(
  { steps }: Discovery,
  { client, store }: ResolvedOptions,
  serverUrl: string,
  issuer: string,
): Promise<void> {
  const known = await readRecord<StoredServer>(store, serverKey(serverUrl));
  if (known === undefined || known.issuer === issuer) return;
  const found = `The authorization server is ${issuer}; it was ${known.issuer} before.`;
  const rule = 'MCP: credentials of one authorization server are not used at another';
  if (client !== undefined && client.issuer !== issuer)
    throw steps.failure({
      step: 'registration',
      found,
      rule,
      hint: `Register a client at ${issuer}, and pass it as client with its issuer.`,
    });
  steps.add({ step: 'registration', found, rule, next: 'register and sign in anew' });
}

async function obtain(
  endpoint: TokenEndpoint,
  options: ResolvedOptions,
  serverUrl: string,
  authority: Authority,
  { challenged, isAhead }: AuthorizationNeed,
  before: StoredTokens | undefined,
): Promise<Granted> {
  const { grant, store } = options;
  const { server, resource } = authority;
  const { fetch, steps, signal } = endpoint;
  const discovery = { fetch, steps, signal };
  const scopes = selectScopes({
    challenged,
    supported: isAhead ? undefined : authority.scopes,
    before: before?.requested,
    configured: options.scopes,
    offline: grant.asksPerson && server.scopes_supported?.includes('offline_access') === true,
  });
  return grant.obtain({
    ...discovery,
    server,
    serverUrl,
    resource,
    scopes,
    endpoint,
    store,
    signInMs: options.signInMs,
    client: (redirectUris) => chooseClient(discovery, options, { server, redirectUris, grantTypes: grant.grantTypes }),
    requestToken: (client, request) => requestToken(endpoint, client, request),
  });
}

const storedClient = ({ clientId, clientSecret, authMethod }: OAuthClient): StoredClient => ({
  clientId,
  ...(clientSecret !== undefined && { clientSecret }),
  ...(authMethod !== undefined && { authMethod }),
});

export async function storeGranted(
  { store, client: own, clientMetadataUrl }: ResolvedOptions,
  serverUrl: string,
  { server, resource }: Pick<Authority, 'server' | 'resource'>,
  { client, tokens, scopes = [] }: Granted,
  bindingKey: BindingKey | undefined,
): Promise<StoredTokens> {
  const unbound = toStored(tokens, client.clientId, scopes);
  const isOwn = client.clientId === own?.clientId || client.clientId === clientMetadataUrl;
  const isBound = bindingKey !== undefined && unbound.tokenType === 'dpop';
  const stored: StoredTokens = {
    ...unbound,
    ...(isBound && { bindingKey }),
    ...(!isOwn && { registered: storedClient(client) }),
  };
  await replaceRecord(store, tokensKey(server.issuer, resource), () => stored);
  const known: StoredServer = { issuer: server.issuer, resource };
  await replaceRecord(store, serverKey(serverUrl), () => known);
  await addKnownServer(store, serverUrl);
  return stored;
}
