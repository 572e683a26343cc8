/** The transport, session and headers of a request: for tracing, limits and logs. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';

/** The transport, as OpenTelemetry's `network.transport` names it: `pipe` for stdio, `tcp` for HTTP. */
export type NetworkTransport = 'pipe' | 'tcp';

/** The request of a call. */
export interface RequestDetails {
  /** The id of the request, as the client gave it. */
  readonly requestId: RequestId;
  /** `undefined` in memory. */
  readonly transport: NetworkTransport | undefined;
  /** The last characters of the session ID: enough to distinguish sessions in a log, too few to use the session. */
  readonly sessionIdSuffix: string | undefined;
  /** A header of the HTTP request, by its name in lower case. Credentials are not readable. */
  header(name: string): string | undefined;
  /** The code that the client gets for an error, in its protocol version and dialect. */
  errorCode(error: RpcError): number;
}

/** What a link knows about the origin of its messages. */
export interface LinkOrigin {
  readonly transport?: NetworkTransport | undefined;
  readonly sessionId?: string | undefined;
  header?(name: string): string | undefined;
  /** All headers, by their names in lower case. */
  sentHeaders?(): Readonly<Record<string, string>>;
}

/** Headers with which a reader could impersonate the client. */
export const credentials: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'mcp-session-id',
]);

/** The headers of a request without credentials; `undefined` where there are none, as in memory. */
export function visibleHeaders(link: LinkOrigin): Readonly<Record<string, string>> | undefined {
  const headers = link.sentHeaders?.();
  return headers && Object.fromEntries(Object.entries(headers).filter(([name]) => !credentials.has(name)));
}
