/** Where a call came from, as far as its transport knows: for tracing, limits and logs. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';

/** The transport, as OpenTelemetry's `network.transport` names it: `pipe` for stdio, `tcp` for HTTP. */
export type NetworkTransport = 'pipe' | 'tcp';

/** The request that brought a call. */
export interface RequestDetails {
  /** The id of the request, as the client gave it. */
  readonly requestId: RequestId;
  /** `undefined` in memory. */
  readonly transport: NetworkTransport | undefined;
  /** The last characters of the session ID: enough to tell sessions apart in a log, too few to use the session. */
  readonly sessionIdSuffix: string | undefined;
  /** A header of the HTTP request, by its name in lower case. Credentials are not readable. */
  header(name: string): string | undefined;
  /** The code that the client gets for an error, in its protocol version and dialect. */
  errorCode(error: RpcError): number;
}

/** What a link knows of where its messages come from. */
export interface LinkOrigin {
  readonly transport?: NetworkTransport | undefined;
  readonly sessionId?: string | undefined;
  header?(name: string): string | undefined;
}

/** Headers that would let a reader act as the client. */
export const credentials: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'mcp-session-id',
]);
