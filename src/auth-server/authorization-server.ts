/** An authorization server for MCP clients whose users sign in at another provider: Google, GitHub, Entra, Okta, Keycloak. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IssuerServer, OwnIssuer, ProtectedResource } from '../auth/resource/issuer-server.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { pathWhere } from '../node/http-server/request-target.ts';
import type { Principal } from '../ports/principal.ts';
import type { Routes } from '../server/ports/routes.ts';
import { isOwnPath } from './engine/paths.ts';
import { Disconnected } from './engine/received-request.ts';
import { createReport } from './events.ts';
import { Lifecycle } from './lifecycle.ts';
import type { AuthorizationServerOptions } from './options.ts';
import type { ProviderProblem } from './provider-client/provider-client.ts';
import { type ProviderToken, providerTokenOf } from './provider-token.ts';
import { Resources } from './resources.ts';
import { revokeUser } from './revoke-user.ts';
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
  /**
   * Ends the access of a user (`github:583231`), through one client or all of them, on all nodes. Without `client` the tokens
   * of the provider are revoked there, too, if it has an endpoint for that.
   */
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
  const life = new Lifecycle({ settings, options, resources, report });

  function failed(response: ServerResponse, cause: unknown): void {
    if (cause instanceof Disconnected) return void response.destroy();
    report({ type: 'failed', reason: 'A request could not be served.', cause });
    resources.warn(cause instanceof TenonError ? cause : new TenonError('callback-failed', `${of} failed.`, { cause }));
    if (response.headersSent) return void response.destroy();
    response.writeHead(503, { 'content-type': 'application/json', 'cache-control': 'no-store', 'retry-after': '1' });
    response.end(JSON.stringify({ error: 'temporarily_unavailable' }));
  }

  function serve(path: string, request: IncomingMessage, response: ServerResponse, address: string): void {
    life
      .run()
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
        keys: async () => (await life.run()).keys(),
        isRevoked: ({ subject, client = '', issuedAt, grantedAt = issuedAt }) => {
          const token = { subject, client, issuedAt, grantedAt };
          const { current } = life;
          return current === undefined
            ? life.run().then(({ parts }) => parts.revocations.isRevoked(token))
            : current.parts.revocations.isRevoked(token);
        },
        useStore: (store) => life.attach(store),
      };
    },
    handle(request, response) {
      const path = pathWhere(routes, request);
      if (path === undefined) return false;
      serve(path, request, response, request.socket.remoteAddress ?? '');
      return true;
    },
    providerToken: async (principal) => providerTokenOf((await life.run()).parts, principal),
    findProblems: async () => (await life.run()).parts.provider.findProblems(),
    async revoke(subject, client) {
      const { parts } = await life.run();
      const isFound = await (client === undefined
        ? revokeUser(parts, subject)
        : parts.revocations.revoke(subject, client));
      if (isFound) report({ type: 'revoked', subject, reason: 'revoke()', ...(client !== undefined && { client }) });
    },
    close: () => life.close(),
  };
}
