/** A server as a handler of `node:http`, to stand alone or inside a framework. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { defaultLimits } from '../jsonrpc/limits.ts';
import { preflightHeaders, sharedWith } from '../server/http/cors.ts';
import { createEndpoint, type HttpEndpoint } from '../server/http/endpoint.ts';
import { refuse } from '../server/http/message.ts';
import type { HttpOptions } from '../server/http/options.ts';
import { readBody } from './http-body.ts';
import { NodeRequest, NodeResponder } from './http-message.ts';

export interface NodeHandlerOptions extends HttpOptions {
  /** Issuer and subject of whoever sends a request, as whatever stands before has found out. */
  readonly principal?: (request: IncomingMessage) => string | undefined;
  /** Bytes of one body. Default 4 MiB. */
  readonly maxBody?: number;
  /** Origins of pages that may read the answers. They are admitted by the guard as well. */
  readonly cors?: readonly string[];
}

export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse): void;
  readonly endpoint: HttpEndpoint;
}

/** Serves every request that it is given: which paths those are is for the framework to say. */
export function toNodeHandler(server: object, options: NodeHandlerOptions = {}): NodeHandler {
  const { cors = [], origins = [], maxBody = defaultLimits.maxCharacters } = options;
  const endpoint = createEndpoint(server, { ...options, origins: [...origins, ...cors] });
  const share = new Set(cors);

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { origin } = request.headers;
    if (origin !== undefined && share.has(origin) && answerPreflight(request, response, origin)) return;
    const principal = options.principal?.(request);
    const pass = (body: string): void => {
      const seen = new NodeRequest(request, body, principal);
      if (request.method === 'GET' && isEvents(request)) seen.eventName = 'notification';
      endpoint.handle(seen, new NodeResponder(response));
    };
    if (request.method !== 'POST') return pass('');
    const parsed = parsedBody(request);
    if (parsed !== undefined) return pass(parsed);
    readBody(request, maxBody, (body) => {
      if (typeof body === 'string') return pass(body);
      refuse(new NodeResponder(response), body);
    });
  };
  return Object.assign(handle, { endpoint });
}

/** Frameworks may have read and parsed the body already. */
function parsedBody(request: IncomingMessage): string | undefined {
  const { body } = request as { body?: unknown };
  return body === undefined || !request.readableEnded ? undefined : JSON.stringify(body);
}

/** Lets pages of an origin read the answers; says whether the request only asked for that. */
function answerPreflight(request: IncomingMessage, response: ServerResponse, origin: string): boolean {
  for (const [name, value] of Object.entries(sharedWith(origin))) response.setHeader(name, value);
  if (request.method !== 'OPTIONS') return false;
  response.writeHead(204, preflightHeaders(String(request.headers['access-control-request-headers'] ?? '')));
  response.end();
  return true;
}

/** Clients of the founding documents listen at an address of its own, and want events named. */
const isEvents = ({ url = '' }: IncomingMessage): boolean => /\/events(\?|$)/.test(url);
