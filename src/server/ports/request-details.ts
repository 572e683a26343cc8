/** Where a call came from, as far as its transport knows: for tracing, limits and logs. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestId } from '../../jsonrpc/message.ts';

/** What carries the messages, in the words of OpenTelemetry's `network.transport`. */
export type NetworkTransport = 'pipe' | 'tcp';

export interface RequestDetails {
  /** The id of the request, as the client gave it. */
  readonly requestId: RequestId;
  /** Absent in memory, and where nobody said. */
  readonly transport: NetworkTransport | undefined;
  /** The end of the session's id, where there is one: enough to tell sessions apart, too little to take one over. */
  readonly sessionIdSuffix: string | undefined;
  /** A header of the HTTP request that brought the call, its name in lower case. Credentials are not shown. */
  header(name: string): string | undefined;
  /** The number by which the client hears of an error, in its revision and dialect. */
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
