/** A server as a request handler of `node:http`, for use alone or inside a framework. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSharing, preflightHeaders, sharedWith } from '../../server/http/admission/cors.ts';
import { eventNameFor } from '../../server/http/admission/founding-clients.ts';
import { type Documents, documentsOf, serveDocument } from '../../server/http/admission/public-documents.ts';
import { createEndpoint, type HttpEndpoint } from '../../server/http/endpoint.ts';
import type { HttpStats } from '../../server/http/reporting/dropped.ts';
import type { RevokedPrincipal } from '../../server/http/session/revocation.ts';
import { type HttpSettings, readHttpOptions } from '../../server/http/settings.ts';
import type { ServerLike } from '../../server/internals.ts';
import type { Handle } from './listener.ts';
import { NodeRequest, NodeResponder } from './message.ts';
import type { NodeHandlerOptions } from './options.ts';
import { pathWhere } from './request-target.ts';
import { createRoutes } from './routes.ts';
import { closeIfUnfinished } from './unfinished-requests.ts';

/** A request handler of `node:http`. */
export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse): void;
  /** Current numbers: sessions, streams, active calls, and dropped messages. */
  stats(): HttpStats;
  /**
   * Ends the sessions, streams, running calls and tasks of a principal, at all nodes that share the store. `principal` is its
   * key, or issuer and subject. It does not refuse later requests: `authenticate` does.
   */
  revoke(principal: RevokedPrincipal): void;
  /** Rejects new requests, waits for running calls (`waitMs`, by default `timeouts.shutdownMs`), sends their results, and closes all streams. */
  close(waitMs?: number): Promise<void>;
}

/**
 * Turns a server into a request handler of `node:http`, for Express, Fastify and others. It serves every request that it
 * is called with: your framework decides which paths those are.
 *
 * ```ts
 * app.all('/mcp', toNodeHandler(server, { allowedHosts: ['localhost', 'mcp.example.com'] }));
 * ```
 */
export function toNodeHandler(server: ServerLike, options: NodeHandlerOptions = {}): NodeHandler {
  const { handle, endpoint } = createNodeHandler(server, readHttpOptions('toNodeHandler()', options));
  return Object.assign(handle, { stats: endpoint.stats, revoke: endpoint.revoke, close: endpoint.close });
}

/** The same with options that are already read, and with the endpoint behind it. */
export function createNodeHandler(
  server: ServerLike,
  settings: HttpSettings,
): { readonly handle: Handle; readonly endpoint: HttpEndpoint } {
  const { maxBodyBytes } = settings.limits;
  const endpoint = createEndpoint(server, settings);
  const sharedOrigin = createSharing(settings);
  const documents = documentsOf(settings);
  const serveRoute = createRoutes(settings, endpoint);

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (documents !== undefined && answerDocument(documents, request, response)) return;
    if (serveRoute?.(request, response) === true) return;
    const seen = new NodeRequest(request, maxBodyBytes);
    const origin = sharedOrigin(seen);
    if (origin !== undefined && answerPreflight(request, response, origin)) return;
    seen.eventName = eventNameFor(request.method, request.url ?? '');
    endpoint.handle(seen, new NodeResponder(response, endpoint.queued));
  };
  const answerDocument = (found: Documents, request: IncomingMessage, response: ServerResponse): boolean => {
    const path = pathWhere(found, request);
    if (path === undefined) return false;
    return serveDocument(found, request.method ?? '', path, new NodeResponder(response, endpoint.queued));
  };
  return { handle, endpoint };
}

/** Sets the CORS headers for an origin, and answers a preflight; returns whether the request was one. */
export function answerPreflight(request: IncomingMessage, response: ServerResponse, origin: string): boolean {
  for (const [name, value] of Object.entries(sharedWith(origin))) response.setHeader(name, value);
  if (request.method !== 'OPTIONS') return false;
  closeIfUnfinished(response);
  response.writeHead(204, preflightHeaders(String(request.headers['access-control-request-headers'] ?? '')));
  response.end();
  return true;
}
