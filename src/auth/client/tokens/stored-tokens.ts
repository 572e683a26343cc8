/** Tokens as they are stored: made from a response, and exchanged for fresh ones once, by one process. */
import type { AuthorizationServer, TokenEndpointResponse } from 'oauth4webapi';
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { CredentialStore } from '../../../store/credential-store.ts';
import { clientKey, type StoredTokens, tokensKey } from '../records.ts';
import type { OAuthClient } from '../registration/client.ts';
import { scopesIn } from '../scopes.ts';
import { invalidGrant, requestToken, type TokenEndpoint } from './token-request.ts';

/** A token is refreshed this long before it expires, or a tenth of its time if that is less. */
const earlyMs = 30_000;

/** `before` has what a refresh does not return again. */
export function toStored(
  tokens: TokenEndpointResponse,
  clientId: string,
  requested: readonly string[],
  before?: StoredTokens,
): StoredTokens {
  const lifeMs = tokens.expires_in === undefined ? undefined : tokens.expires_in * 1000;
  const refreshToken = tokens.refresh_token ?? before?.refreshToken;
  const now = Date.now();
  return {
    accessToken: tokens.access_token,
    tokenType: tokens.token_type === 'dpop' ? 'dpop' : 'bearer',
    ...(lifeMs !== undefined && { expiresAt: now + lifeMs, refreshAt: now + lifeMs - Math.min(earlyMs, lifeMs / 10) }),
    ...(refreshToken !== undefined && { refreshToken }),
    requested,
    granted: scopesIn(tokens.scope) ?? before?.granted ?? requested,
    clientId,
    ...(before?.registered !== undefined && { registered: before.registered }),
    ...(before?.bindingKey !== undefined && { bindingKey: before.bindingKey }),
  };
}

/** What a refresh led to. */
export type Refreshed =
  | { readonly is: 'fresh'; readonly tokens: StoredTokens }
  /** The refresh token is no longer valid, or there is none: a new authorization is needed. */
  | { readonly is: 'ended' };

export interface RefreshOptions {
  readonly server: AuthorizationServer;
  readonly resource: string;
  readonly store: CredentialStore;
  /** The access token that is no longer valid. */
  readonly stale: string;
  /** The client that tokens were issued to. */
  clientOf(tokens: StoredTokens): OAuthClient | undefined;
  /** Tokens that are bound are refreshed with their own key, which another process may have made. */
  endpointFor(tokens: StoredTokens): Promise<TokenEndpoint>;
  readonly signal: AbortSignal;
}

/** Read, lock, read again, redeem, swap: of all processes, one redeems the token. Network errors change nothing. */
export async function refresh(options: RefreshOptions): Promise<Refreshed> {
  const { server, resource, store, stale, signal } = options;
  const key = tokensKey(server.issuer, resource);
  const read = async () => (await store.read(key)) as { value: StoredTokens; version: string } | undefined;
  /** Others may have refreshed long ago. */
  const isFresh = ({ accessToken, refreshAt }: StoredTokens): boolean =>
    accessToken !== stale && (refreshAt === undefined || Date.now() < refreshAt);
  const early = await read();
  if (early !== undefined && isFresh(early.value)) return { is: 'fresh', tokens: early.value };
  const release = await store.lock(key, signal);
  try {
    const current = await read();
    if (current === undefined) return { is: 'ended' };
    if (isFresh(current.value)) return { is: 'fresh', tokens: current.value };
    if (current.value.refreshToken === undefined) return { is: 'ended' };
    return await redeem(options, key, current);
  } finally {
    await release();
  }
}

async function redeem(
  { server, store, clientOf, endpointFor }: RefreshOptions,
  key: string,
  { value, version }: { value: StoredTokens; version: string },
): Promise<Refreshed> {
  const client = clientOf(value);
  const drop = async (): Promise<Refreshed> => {
    await store.swap(key, version, undefined);
    return { is: 'ended' };
  };
  if (client === undefined || value.refreshToken === undefined) return drop();
  try {
    const answer = await requestToken(await endpointFor(value), client, {
      step: 'refresh',
      grantType: 'refresh_token',
      parameters: { refresh_token: value.refreshToken },
      scopes: value.requested.length === 0 ? undefined : value.requested,
      rule: 'OAuth 2.1, 4.3: refresh token',
    });
    const tokens = toStored(answer, value.clientId, value.requested, value);
    if (await store.swap(key, version, tokens)) return { is: 'fresh', tokens };
    // Someone has signed out, or in, without waiting for the lock.
    const latest = (await store.read(key))?.value as StoredTokens | undefined;
    return latest === undefined ? { is: 'ended' } : { is: 'fresh', tokens: latest };
  } catch (error) {
    const reason = error instanceof TenonError ? error.details.error : undefined;
    if (reason === invalidGrant) return await drop();
    // A registration that the server has forgotten is made again.
    if (reason !== 'invalid_client' && reason !== 'unauthorized_client') throw error;
    if (value.registered === undefined) throw error;
    const latest = await store.read(clientKey(server.issuer));
    if ((latest?.value as OAuthClient | undefined)?.clientId === value.clientId)
      await store.swap(clientKey(server.issuer), latest?.version, undefined);
    return await drop();
  }
}
