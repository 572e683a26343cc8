/** The headers by which a browser lets pages of other origins read what they get. */
import type { HttpHeaders } from './message.ts';

const allowed =
  'content-type, accept, authorization, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, ' +
  'traceparent, tracestate, baggage, x-request-id';

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
