/** CORS: the headers by which a browser lets pages of other origins send requests and read the responses. */

import type { HttpHeaders, HttpRequest } from '../message.ts';
import { asSent, createHostCheck, type GuardOptions } from './host-and-origin.ts';

const allowed =
  'content-type, accept, authorization, dpop, x-api-key, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, ' +
  'traceparent, tracestate, baggage, x-request-id';

/**
 * The origin whose pages may read the response to a request, if any. Never `null`: every page can give itself that
 * origin. None for a request to a host that is not allowed.
 */
export function createSharing(options: GuardOptions): (request: HttpRequest) => string | undefined {
  const shared = new Set(options.allowedOrigins?.map(asSent));
  shared.delete('null');
  if (shared.size === 0) return () => undefined;
  const isHost = createHostCheck(options);
  return (request) => {
    const origin = request.header('origin');
    if (origin === undefined || !shared.has(origin)) return undefined;
    const host = request.header('host');
    return host === undefined || isHost(host) ? origin : undefined;
  };
}

/** The headers of every response to a page of this origin. Credentials are never allowed. */
export const sharedWith = (origin: string): HttpHeaders => ({
  'access-control-allow-origin': origin,
  vary: 'origin',
  'access-control-expose-headers': 'mcp-session-id, mcp-protocol-version, www-authenticate, dpop-nonce, retry-after',
});

/** The headers of the response to a preflight; `requested` are the headers that the page wants to send. */
export function preflightHeaders(requested: string): HttpHeaders {
  const parameters = requested.split(',').filter((name) => /^\s*mcp-param-[!#$%&'*+.^_`|~0-9a-z-]+\s*$/i.test(name));
  return {
    'access-control-allow-methods': 'POST, GET, DELETE',
    'access-control-allow-headers': [allowed, ...parameters].join(', '),
    'access-control-max-age': '600',
  };
}
