/** The connect page of a file: accounts in the store, the client at the issuer, and the handler of its paths. */
import { randomBytes } from 'node:crypto';
import { createProviderClient } from '../../auth-server/provider-client/create-provider-client.ts';
import { Secrets as SealingSecrets } from '../../auth-server/secrets.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import { memoryCredentials } from '../../store/parts/memory-credentials.ts';
import type { Store } from '../../store/store.ts';
import { connectIssuer, connectUrl } from '../config/cross-checks.ts';
import type { GatewayConfig } from '../config/read-config.ts';
import { Accounts } from '../credentials/accounts.ts';
import { ConnectTickets } from '../credentials/connect-tickets.ts';
import { BrowserSessions } from './browser-session.ts';
import { createConnectHandler, type ServeConnect } from './connect-handler.ts';

/**
 * How long the issuer may take to answer the connect page.
 * @limit gateway
 * @beyond the page shows that it failed
 */
const issuerMs = 10_000;

export interface ConnectPage {
  readonly accounts: Accounts;
  readonly serve: ServeConnect;
}

/** Nothing without `connect` in the file. */
export function connectPage(
  config: GatewayConfig,
  store: Store | undefined,
  sealing: readonly string[],
  onWarning: (warning: TenonError) => void,
): ConnectPage | undefined {
  const { content, publicUrl, secrets } = config;
  const { connect } = content;
  if (connect === undefined || publicUrl === undefined) return undefined;
  const issuer = connectIssuer(content);
  const pageUrl = connectUrl(publicUrl);
  const sealed = new SealingSecrets(sealing.length > 0 ? sealing : [randomBytes(32).toString('base64url')]);
  const tickets = new ConnectTickets(sealed);
  const credentials = store?.credentials ?? memoryCredentials();
  const accounts = new Accounts({ store: credentials, issuer, pageUrl: pageUrl.href, tickets });
  const provider = {
    name: 'issuer',
    title: new URL(issuer).host,
    issuer,
    clientId: connect.clientId,
    clientSecret: secrets.get(connect.secret) ?? '',
    // Only who the user is: the gateway calls nothing at the issuer.
    scopes: ['openid', 'profile'],
  };
  const signIn = createProviderClient(provider, { callbackUrl: `${pageUrl.href}/signed-in`, timeoutMs: issuerMs });
  const sessions = new BrowserSessions(sealed, pageUrl.protocol === 'https:');
  const allowedHosts = [pageUrl.hostname];
  const ports = { accounts, tickets, sessions, signIn, pageUrl, allowedHosts, onWarning };
  return { accounts, serve: createConnectHandler(ports) };
}
