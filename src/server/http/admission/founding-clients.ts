/** What HTTP does differently for clients of the founding documents, which are older than the first revision. */

interface Request {
  header(name: string): string | undefined;
  readonly eventName?: string | undefined;
}

/** They listen for notifications below the path that they post to. */
export const eventsPath = (path: string): string => `${path.replace(/\/$/, '')}/events`;

/** The event name of their streams; `undefined` for all other requests. `url` may be a path only. */
export const eventNameFor = (method: string | undefined, url: string): string | undefined =>
  method === 'GET' && /^[^?]*\/events(\?|$)/.test(url) ? 'notification' : undefined;

/**
 * Whether a request has no header of the protocol: it needs no session, and is answered with JSON. Many programs send
 * `Accept` with any type, which counts as none.
 */
export function isFoundingRequest(request: Pick<Request, 'header'>): boolean {
  const accept = request.header('accept');
  return (accept === undefined || accept.trim() === '*/*') && request.header('mcp-protocol-version') === undefined;
}

/** Whether a GET listens without a session. */
export const isFoundingListener = (request: Request): boolean =>
  request.eventName !== undefined && request.header('mcp-session-id') === undefined;

/** Whether the path of a GET without `Accept` requests events. */
export const impliesEvents = (request: Request): boolean =>
  request.eventName !== undefined && request.header('accept') === undefined;
