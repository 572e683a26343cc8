/** Signs out: tokens are revoked where the authorization server supports it (RFC 7009), and deleted. */
import * as oauth from 'oauth4webapi';
import { processDeadlines } from '../../../lib/time/deadlines.ts';
import { readRecord, replaceRecord, type StoredServer, type StoredTokens, serverKey, tokensKey } from '../records.ts';
import { authenticationOf, methodsOf } from '../registration/client.ts';
import type { ResolvedOptions } from '../settings.ts';
import { clientOf, findServer, startDiscovery, tokenEndpoint } from './authorization.ts';
import { deleteKnownServer } from './known-servers.ts';

const step = 'sign-out';

/** The tokens are deleted even where they cannot be revoked; that is a step then. */
export async function signOut(options: ResolvedOptions, serverUrl: string): Promise<void> {
  const { store } = options;
  const known = await readRecord<StoredServer>(store, serverKey(serverUrl));
  if (known === undefined) return;
  const tokens = await takeTokens(options, tokensKey(known.issuer, known.resource));
  await deleteKnownServer(store, serverUrl);
  if (tokens !== undefined) await revoke(options, serverUrl, known, tokens);
}

/** Waits for a refresh that is under way, whose tokens would be left otherwise. A person may take longer to sign in. */
async function takeTokens({ store, requestMs }: ResolvedOptions, key: string): Promise<StoredTokens | undefined> {
  const control = new AbortController();
  const deadlines = processDeadlines();
  const deadline = deadlines.add(requestMs, () => control.abort());
  const release = await store
    .lock(key, control.signal)
    .catch((error: unknown) => (control.signal.aborted ? undefined : Promise.reject(error)))
    .finally(() => deadlines.cancel(deadline));
  try {
    const tokens = await readRecord<StoredTokens>(store, key);
    await replaceRecord(store, key, () => undefined);
    return tokens;
  } finally {
    await release?.();
  }
}

async function revoke(
  options: ResolvedOptions,
  serverUrl: string,
  { issuer, resource }: StoredServer,
  tokens: StoredTokens,
): Promise<void> {
  const discovery = startDiscovery(options, serverUrl, new AbortController().signal);
  const { steps, fetch } = discovery;
  const rule = 'RFC 7009, 2';
  const next = 'the tokens are deleted';
  try {
    const server = await findServer(discovery, serverUrl, issuer);
    const client = clientOf(options, issuer, tokens);
    const url = server?.revocation_endpoint;
    if (server === undefined || client === undefined || url === undefined)
      return steps.add({ step, url: issuer, found: 'It cannot revoke tokens.', rule, next });
    const { quirks } = await tokenEndpoint(discovery, options, { server, resource, scopes: undefined });
    const [method = 'none'] = methodsOf(client, server);
    // A refresh token takes its access tokens along, at most servers.
    for (const token of [tokens.refreshToken, tokens.accessToken]) {
      if (token === undefined) continue;
      const response = await oauth.revocationRequest(
        server,
        { client_id: client.clientId },
        authenticationOf(client, quirks.clientAuth ?? method),
        token,
        {
          [oauth.customFetch]: (to, init) => fetch(to, init as Parameters<typeof fetch>[1]),
          [oauth.allowInsecureRequests]: true,
        },
      );
      const { status, ok } = response;
      steps.add({ step, url, status, found: ok ? 'It revoked a token.' : `It answered ${status}.`, rule, next });
    }
  } catch (error) {
    steps.add({ step, url: issuer, found: (error as Error).message, rule, next });
  }
}
