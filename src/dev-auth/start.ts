/** Starts the development authorization server: oidc-provider on a loopback port, with pages and rules of our own. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadPackage } from '../lib/errors/load-package.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { acceptAssertions } from './assertions.ts';
import { createConfiguration, createSigningKey } from './configuration.ts';
import { reportEvents } from './events.ts';
import { actAsGitHub } from './github.ts';
import { exchangeIdTokens } from './id-jag.ts';
import { createInteractions, interactionPath } from './interactions.ts';
import { isLoopbackHost } from './loopback.ts';
import type { DevAuthOptions } from './options.ts';
import type { HasQuirk } from './quirks.ts';
import { changeResponses } from './responses.ts';
import { type DevAuthSettings, readDevAuthOptions } from './settings.ts';
import { signInAtDevAuth, type VisitOptions, visit } from './visitor.ts';

/** A development authorization server that listens on a port. */
export interface DevAuthServer {
  /** Its issuer identifier, which is also its URL: `http://127.0.0.1:9000`. Set it as `issuer` of `protect`. */
  readonly issuer: string;
  /**
   * Signs a user in without a browser: follows an authorization URL through the pages, and resolves to the redirect
   * address with the code. For tests; in a browser the user clicks.
   */
  signIn(authorizationUrl: string | URL, options?: VisitOptions): Promise<URL>;
  /** Enters the code of a device (`verification_uri_complete`) and allows it, without a browser. */
  approveDevice(verificationUrl: string | URL, options?: VisitOptions): Promise<void>;
  /** Closes all connections and frees the port. All tokens end with their keys. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts an OAuth 2.1 and OpenID Connect authorization server for development and tests. It listens on 127.0.0.1 only,
 * needs no network, has no passwords, and forgets everything when it closes. It needs the package oidc-provider.
 * Rejects with `invalid-argument` for a wrong option, and with `listen-failed` if the port is in use.
 *
 * ```ts
 * const auth = await startDevAuthServer({ port: 9000 });
 * await serveHttp(server, { authenticate: protect({ issuer: auth.issuer, resource: 'http://127.0.0.1:3000/mcp' }) });
 * ```
 */
export async function startDevAuthServer(options: DevAuthOptions = {}): Promise<DevAuthServer> {
  const settings = readDevAuthOptions(options);
  const { port, users, quirks, onEvent = () => {}, onAnnounce = writeToStderr } = settings;
  const { Provider, errors } = await loadPackage(needed, () => import('oidc-provider'));
  const has: HasQuirk = (quirk) => quirks.includes(quirk);
  const signingKey = await createSigningKey();
  const configuration = createConfiguration(settings, signingKey, has, errors);
  // The issuer contains the port, which is known once the server listens.
  let handle: Handler = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => handle(request, response));
  const issuer = `http://127.0.0.1:${await listen(server, port)}`;
  const close = () => closeServer(server);
  const provider = new Provider(issuer, configuration);
  exchangeIdTokens(provider, signingKey, errors);
  if (settings.trustedIssuers !== undefined) acceptAssertions(provider, settings, errors);
  changeResponses(provider, settings, has);
  if (has('no-oidc')) actAsGitHub(provider, settings);
  reportEvents(provider, onEvent);
  await checkClients(provider, settings).catch((error) => close().then(() => Promise.reject(error)));
  handle = admitLoopback(provider.callback(), createInteractions(provider, Object.keys(users), onEvent));
  onAnnounce(`Development authorization server at ${issuer}: not for production, everyone can sign in as any user.`);

  return {
    issuer,
    signIn: signInAtDevAuth,
    approveDevice: async (url, visitor = {}) => void (await visit(issuer, new URL(url), visitor.user, visitor)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const writeToStderr = (line: string): void => void process.stderr.write(`${line}\n`);

const needed = {
  name: 'oidc-provider',
  neededBy: 'The development authorization server',
  hint: 'Run npm install --save-dev oidc-provider jose in your project, and use the tenon of the project.',
};

/** oidc-provider reads a client when it is first used: a wrong one is reported now instead. */
async function checkClients(
  provider: { readonly Client: { find(id: string): Promise<unknown> } },
  { clients }: DevAuthSettings,
): Promise<void> {
  for (const [at, { client_id: id }] of clients.entries())
    await provider.Client.find(id).catch((cause: { readonly error_description?: string }) => {
      const why = cause.error_description ?? String(cause);
      throw new TenonError('invalid-argument', `startDevAuthServer(): clients[${at}] is not valid: ${why}.`, { cause });
    });
}

/** Pages of other sites cannot use the server through a host name that they have pointed to this machine. */
const admitLoopback =
  (provider: Handler, interactions: Handler): Handler =>
  (request, response) => {
    if (!isLoopbackHost(request.headers.host)) {
      response.writeHead(403, { 'content-type': 'text/plain' });
      return void response.end('Host not allowed\n');
    }
    return request.url?.startsWith(interactionPath) ? interactions(request, response) : provider(request, response);
  };

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const hint = 'Set another port, or 0 for any free one.';
      reject(new TenonError('listen-failed', `startDevAuthServer() cannot listen on port ${port}. ${hint}`, { cause }));
    });
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
