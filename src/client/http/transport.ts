/** The context of all requests of one connection over HTTP: the port, the receiver of messages, and the limits. */

import type { Message, RequestId } from '../../jsonrpc/message.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { HttpAddress, HttpPort } from './port/port.ts';

/** Headers of the user, in lower case. */
export type UserHeaders = ReadonlyArray<readonly [string, string]>;

/** The ports for posting one message. */
export interface PostContext {
  readonly port: HttpPort;
  readonly deadlines: Deadlines;
  /** The endpoint; another path of the same origin after a redirect. */
  address: HttpAddress;
  /** The most bytes of one body, or of one event. */
  readonly maxBytes: number;
  /** `respondsTo` is the request in whose stream, or resumed stream, the text arrived. */
  deliver(text: string, respondsTo?: RequestId): void;
  warn(error: TenonError): void;
  failed(id: RequestId, error: Error): void;
  waits(id: RequestId): boolean;
  /** Stops the timeouts of requests while one of them waits for credentials. */
  delayed(isDelayed: boolean): void;
}

export interface HttpContext extends PostContext {
  /** A random number from 0 to 1, for jitter. */
  readonly random: () => number;
  readonly userHeaders: UserHeaders;
  readonly maxStreams: number;
  /** Called when notifications may have been lost. */
  missed(): void;
  /** Closes the transport, with the error that broke it, if any. */
  close(reason?: Error): void;
  /** Sends later messages over another HTTP transport. */
  useTransport(transport: HttpTransport): void;
}

/** How messages are sent in one lifecycle, or over HTTP+SSE. */
export interface HttpTransport {
  setRevision(revision: Revision): void;
  send(frame: string, message: Message | undefined): void;
  /** Sends several requests in one text. Absent if the transport cannot. */
  sendBatch?(frame: string, ids: readonly RequestId[]): void;
  /** Requests that are held back, and so have not been sent. */
  readonly unsentRequests?: readonly RequestId[];
  /** Returns whether the transport itself cancels it on the server. */
  abandon(id: RequestId): boolean;
  /** Aborts all requests; resolves when the server was notified. */
  close(): Promise<void>;
}

/** Adds the headers of the user to those of one request. */
export function withUserHeaders(context: HttpContext, headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of context.userHeaders) headers[name] = value;
  return headers;
}

/** Stands for the methods of its requests, in errors too. */
export const batchMethod = 'a batch';

/**
 * The post waits until every request has its answer, and its failure is that of each. Messages in its response belong to
 * none of the requests in particular.
 */
export const batchContext = (context: PostContext, ids: readonly RequestId[]): PostContext => ({
  port: context.port,
  deadlines: context.deadlines,
  get address() {
    return context.address;
  },
  set address(moved) {
    context.address = moved;
  },
  maxBytes: context.maxBytes,
  deliver: (text) => context.deliver(text),
  warn: (error) => context.warn(error),
  delayed: (isDelayed) => context.delayed(isDelayed),
  waits: () => ids.some((id) => context.waits(id)),
  failed(_batch, error) {
    for (const id of ids) if (context.waits(id)) context.failed(id, error);
  },
});
