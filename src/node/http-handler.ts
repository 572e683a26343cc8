/** A server as a handler of `node:http`, to stand alone or inside a framework. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { defaultLimits } from '../jsonrpc/limits.ts';
import { preflightHeaders, sharedWith } from '../server/http/cors.ts';
import { createEndpoint, type HttpEndpoint } from '../server/http/endpoint.ts';
import type { HttpOptions } from '../server/http/options.ts';
import { type BodyProblem, readBody } from './http-body.ts';
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
    const take = (body: string | BodyProblem): void => {
      if (typeof body === 'string') return pass(body);
      endpoint.refuse(new NodeResponder(response), 'POST', body);
    };
    if (request.readableEnded) take(bodyReadBefore(request));
    else readBody(request, maxBody, take);
  };
  return Object.assign(handle, { endpoint });
}

/** Frameworks may have read the body already, and most parse it. */
function bodyReadBefore(request: IncomingMessage): string | BodyProblem {
  const { body } = request as { body?: unknown };
  if (body === undefined) return readAndGone;
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : JSON.stringify(body);
}

const readAndGone: BodyProblem = {
  status: 500,
  text: 'Something before this handler has read the body: have it leave that alone, or keep what it read in request.body',
};

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
