/** A server as a handler of `node:http`, to stand alone or inside a framework. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { preflightHeaders, sharedWith } from '../server/http/cors.ts';
import { createEndpoint, type HttpEndpoint } from '../server/http/endpoint.ts';
import { checkHttpOptions } from '../server/http/option-rules.ts';
import type { HttpOptions } from '../server/http/options.ts';
import { NodeRequest, NodeResponder, type RequestOptions } from './http-message.ts';

export interface NodeHandlerOptions extends HttpOptions, RequestOptions {
  /** Origins of pages that may read the answers. They are admitted by the guard as well. */
  readonly cors?: readonly string[];
}

export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse): void;
  readonly endpoint: HttpEndpoint;
}

/** Serves every request that it is given: which paths those are is for the framework to say. */
export function toNodeHandler(server: object, options: NodeHandlerOptions = {}): NodeHandler {
  checkHttpOptions('toNodeHandler', options);
  const { cors = [], origins = [] } = options;
  const endpoint = createEndpoint(server, { ...options, origins: [...origins, ...cors] });
  const share = new Set(cors);

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { origin } = request.headers;
    if (origin !== undefined && share.has(origin) && answerPreflight(request, response, origin)) return;
    const seen = new NodeRequest(request, options);
    if (request.method === 'GET' && isEvents(request)) seen.eventName = 'notification';
    endpoint.handle(seen, new NodeResponder(response));
  };
  return Object.assign(handle, { endpoint });
}

/** Lets pages of an origin read the answers; says whether the request only asked for that. */
export function answerPreflight(request: IncomingMessage, response: ServerResponse, origin: string): boolean {
  for (const [name, value] of Object.entries(sharedWith(origin))) response.setHeader(name, value);
  if (request.method !== 'OPTIONS') return false;
  response.writeHead(204, preflightHeaders(String(request.headers['access-control-request-headers'] ?? '')));
  response.end();
  return true;
}

/** Clients of the founding documents listen at an address of its own, and want events named. */
const isEvents = ({ url = '' }: IncomingMessage): boolean => /\/events(\?|$)/.test(url);
