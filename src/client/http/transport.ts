/** What all requests of one connection over HTTP share: the way out, the way back, and the bounds. */
import type { Deadlines } from '../../jsonrpc/deadlines.ts';
import type { TenonError } from '../../jsonrpc/errors.ts';
import type { Message, RequestId } from '../../jsonrpc/message.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { HttpAddress, HttpPort } from './port/port.ts';

/** Headers of the user, in lower case. */
export type UserHeaders = ReadonlyArray<readonly [string, string]>;

/** What one message needs that is posted. */
export interface PostContext {
  readonly port: HttpPort;
  readonly deadlines: Deadlines;
  /** The endpoint; another path of the same origin where the server points to it. */
  address: HttpAddress;
  /** The most bytes of one body, or of one event. */
  readonly maxBytes: number;
  /** `respondsTo` is the request in whose response, or in the rest of it, the text came with others. */
  deliver(text: string, respondsTo?: RequestId): void;
  warn(error: TenonError): void;
  failed(id: RequestId, error: Error): void;
  waits(id: RequestId): boolean;
}

export interface HttpContext extends PostContext {
  /** From 0 to 1, for waits that not all clients should make alike. */
  readonly random: () => number;
  readonly userHeaders: UserHeaders;
  readonly maxStreams: number;
  /** Notifications of the server may have been lost. */
  missed(): void;
  /** Ends the channel: with a reason where something broke it. */
  close(reason?: Error): void;
  /** What is sent from here on goes another way. */
  useTransport(transport: HttpTransport): void;
}

/** How frames travel in one lifecycle, or over one transport. */
export interface HttpTransport {
  setRevision(revision: Revision): void;
  send(frame: string, message: Message | undefined): void;
  /** Requests that are held back, and so have not been sent. */
  readonly unsentRequests?: readonly RequestId[];
  /** Returns whether the transport itself lets the server know. */
  abandon(id: RequestId): boolean;
  /** Aborts all requests; resolves when the server knows. */
  close(): Promise<void>;
}

/** The headers of one request: those that are given, and the user's. */
export function withUserHeaders(context: HttpContext, headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of context.userHeaders) headers[name] = value;
  return headers;
}
