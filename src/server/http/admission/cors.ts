/** The headers by which a browser lets pages of other origins read what they get. */

import type { HttpHeaders, HttpRequest } from '../message.ts';
import { asSent, createHostCheck, type GuardOptions } from './host-and-origin.ts';

const allowed =
  'content-type, accept, authorization, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, ' +
  'traceparent, tracestate, baggage, x-request-id';

export interface CorsOptions {
  /** Origins of pages that may read the answers. They are admitted by the guard as well. */
  readonly cors?: readonly string[];
}

/** The origin with which the answer to a request is shared, if it is. One to a host that is not served is shared with none. */
export function createSharing(options: GuardOptions & CorsOptions): (request: HttpRequest) => string | undefined {
  const shared = new Set(options.cors?.map(asSent));
  if (shared.size === 0) return () => undefined;
  const isHost = createHostCheck(options);
  return (request) => {
    const origin = request.header('origin');
    if (origin === undefined || !shared.has(origin)) return undefined;
    const host = request.header('host');
    return host === undefined || isHost(host) ? origin : undefined;
  };
}

/** What every response to a page of this origin carries. */
export const sharedWith = (origin: string): HttpHeaders => ({
  'access-control-allow-origin': origin,
  vary: 'origin',
  'access-control-expose-headers': 'mcp-session-id, mcp-protocol-version, www-authenticate, retry-after',
});

/** The answer to a browser that asks before it sends; `asked` are the headers it wants to send. */
export function preflightHeaders(asked: string): HttpHeaders {
  const parameters = asked.split(',').filter((name) => /^\s*mcp-param-[!#$%&'*+.^_`|~0-9a-z-]+\s*$/i.test(name));
  return {
    'access-control-allow-methods': 'POST, GET, DELETE',
    'access-control-allow-headers': [allowed, ...parameters].join(', '),
    'access-control-max-age': '600',
  };
}
