/** A server as a request handler of `node:http`, for use alone or inside a framework. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CorsOptions, createSharing, preflightHeaders, sharedWith } from '../../server/http/admission/cors.ts';
import { eventNameFor } from '../../server/http/admission/founding-clients.ts';
import { createEndpoint, type HttpEndpoint } from '../../server/http/endpoint.ts';
import { type HttpOptions, withAlikeLimits } from '../../server/http/options.ts';
import { checkHttpOptions } from '../../server/http/options-check.ts';
import type { ServerLike } from '../../server/internals.ts';
import { NodeRequest, NodeResponder, type RequestOptions } from './message.ts';

export interface NodeHandlerOptions extends HttpOptions, RequestOptions, CorsOptions {}

export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse): void;
  readonly endpoint: HttpEndpoint;
}

/** Serves every request it gets: the framework decides which paths those are. */
export function toNodeHandler(server: ServerLike, given: NodeHandlerOptions = {}): NodeHandler {
  checkHttpOptions('toNodeHandler', given);
  return createNodeHandler(server, given);
}

/** The same with options that are already checked. */
export function createNodeHandler(server: ServerLike, given: NodeHandlerOptions): NodeHandler {
  const options = withAlikeLimits(given);
  const { cors = [], allowedOrigins: origins = [] } = options;
  const endpoint = createEndpoint(server, { ...options, allowedOrigins: [...origins, ...cors] });
  const sharedOrigin = createSharing(options);

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const seen = new NodeRequest(request, options);
    const origin = sharedOrigin(seen);
    if (origin !== undefined && answerPreflight(request, response, origin)) return;
    seen.eventName = eventNameFor(request.method, request.url ?? '');
    endpoint.handle(seen, new NodeResponder(response));
  };
  return Object.assign(handle, { endpoint });
}

/** Sets the CORS headers for an origin, and answers a preflight; returns whether the request was one. */
export function answerPreflight(request: IncomingMessage, response: ServerResponse, origin: string): boolean {
  for (const [name, value] of Object.entries(sharedWith(origin))) response.setHeader(name, value);
  if (request.method !== 'OPTIONS') return false;
  response.writeHead(204, preflightHeaders(String(request.headers['access-control-request-headers'] ?? '')));
  response.end();
  return true;
}
