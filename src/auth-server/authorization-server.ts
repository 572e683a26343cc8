/** An authorization server for MCP clients whose users sign in at another provider: Google, GitHub, Entra, Okta, Keycloak. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IssuerServer, OwnIssuer, ProtectedResource } from '../auth/resource/issuer-server.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { pathWhere } from '../node/http-server/request-target.ts';
import { openServiceStore, type ServiceStore } from '../node/service-store.ts';
import type { Principal } from '../ports/principal.ts';
import { StoreOfServers } from '../server/kernel/store-users.ts';
import type { Routes } from '../server/ports/routes.ts';
import { createMemoryStore } from '../store/memory.ts';
import { type ProviderToken, providerTokenOf } from './accounts/provider-token.ts';
import { loadEngine } from './engine/load-engine.ts';
import { isOwnPath } from './engine/paths.ts';
import { createReport } from './events.ts';
import type { AuthorizationServerOptions } from './options.ts';
import type { ProviderProblem } from './provider-client/provider-client.ts';
import { Resources } from './resources.ts';
import { type Running, start } from './running.ts';
import { of, readAuthorizationServerOptions } from './settings.ts';

/** An authorization server. Pass it to `protect` as `issuer`, or serve its requests with `handle`. */
export interface AuthorizationServer extends IssuerServer {
  /** Serves a request of `node:http`; false if it is not for one of its paths. It does not check the host: your server does. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  /**
   * The token of the provider for the user of a request, to call the API of the provider. It stays on the server. Rejects
   * with `sign-in-required` if there is none any more.
   */
  providerToken(principal: Pick<Principal, 'issuer' | 'subject'>): Promise<ProviderToken>;
  /**
   * What is wrong with the settings of the provider, as far as it shows that without a user: an issuer, a secret or a
   * callback address. `tenon doctor` does the same from outside.
   */
  findProblems(): Promise<readonly ProviderProblem[]>;
  /** Ends the access of a user (`github:583231`), through one client or all of them, on all nodes. */
  revoke(subject: string, client?: string): Promise<void>;
  /** Closes a store that was opened by its URL. Requests fail from then on. */
  close(): Promise<void>;
}

/**
 * Creates an authorization server for MCP clients, whose users sign in at another provider. It has its own access tokens, for
 * exactly the servers that `protect` is used for; tokens of the provider never reach a client. It needs the package
 * oidc-provider. Throws `invalid-argument` for a wrong option.
 *
 * ```ts
 * const auth = authorizationServer({ signIn: github({ clientId, clientSecret }), secrets: [authSecret] });
 * await serveHttp(server, { authenticate: protect({ issuer: auth, resource: 'https://mcp.example.com/mcp' }) });
 * ```
 */
export function authorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const settings = readAuthorizationServerOptions(options);
  const resources = new Resources(settings);
  const report = createReport(settings.onEvent);
  const attached = new StoreOfServers(
    of,
    'Pass the same store to all endpoints of an authorizationServer(), or set its store.',
  );
  let running: Promise<Running> | undefined;
  let service: Promise<ServiceStore> | undefined;
  let isClosed = false;

  /** With the first request, since the store is that of the endpoint. After a failure the next request tries again. */
  function run(): Promise<Running> {
    if (isClosed) return Promise.reject(new TenonError('connection-closed', 'The authorization server is closed.'));
    running ??= started().catch((cause: unknown) => {
      running = undefined;
      throw cause;
    });
    return running;
  }

  async function started(): Promise<Running> {
    const module = await loadEngine();
    service ??= openServiceStore(settings.store);
    const { store = attached.current ?? createMemoryStore() } = await service;
    return start({ settings, options, resources, store, report, module });
  }

  async function stop(): Promise<void> {
    const stopping = running;
    running = undefined;
    await (await stopping?.catch(() => undefined))?.close();
  }

  function failed(response: ServerResponse, cause: unknown): void {
    report({ type: 'failed', reason: 'A request could not be served.', cause });
    resources.warn(cause instanceof TenonError ? cause : new TenonError('callback-failed', `${of} failed.`, { cause }));
    if (response.headersSent) return void response.destroy();
    response.writeHead(503, { 'content-type': 'application/json', 'cache-control': 'no-store', 'retry-after': '1' });
    response.end(JSON.stringify({ error: 'temporarily_unavailable' }));
  }

  function serve(path: string, request: IncomingMessage, response: ServerResponse, address: string): void {
    run()
      .then((server) => server.serve(path, request, response, address))
      .catch((cause: unknown) => failed(response, cause));
  }

  const routes: Routes = { has: isOwnPath, serve: serve as Routes['serve'] };
  return {
    issuerFor(resource: ProtectedResource): OwnIssuer {
      resources.add(resource);
      return {
        issuer: resources.issuer,
        routes,
        keys: async () => (await run()).keys(),
        isRevoked: async ({ subject, client, issuedAt }) =>
          (await run()).parts.revocations.isRevoked({ subject, client: client ?? '', issuedAt }),
        useStore(store) {
          const detach = attached.attach(store);
          return () => {
            detach();
            if (attached.current === undefined) void stop();
          };
        },
      };
    },
    handle(request, response) {
      const path = pathWhere(routes, request);
      if (path === undefined) return false;
      serve(path, request, response, request.socket.remoteAddress ?? '');
      return true;
    },
    providerToken: async (principal) => providerTokenOf((await run()).parts, principal),
    findProblems: async () => (await run()).parts.provider.findProblems(),
    async revoke(subject, client) {
      const isFound = await (await run()).parts.revocations.revoke(subject, client);
      if (isFound) report({ type: 'revoked', subject, reason: 'revoke()', ...(client !== undefined && { client }) });
    },
    async close() {
      isClosed = true;
      await stop();
      await (await service?.catch(() => undefined))?.close();
    },
  };
}
