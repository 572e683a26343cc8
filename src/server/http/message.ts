/** HTTP requests and responses as the endpoint sees them, whatever the runtime. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { Principal } from '../../ports/principal.ts';
import { notStartedData } from '../../protocol/error-data.ts';

export interface HttpRequest {
  readonly method: string;
  /** The value of a header, its name in lower case. */
  header(name: string): string | undefined;
  /** The text of the body; empty if there is none, before it is received, and once it is read: the text of a running call takes memory. */
  body: string;
  /** Reads the body, if the runtime has not done so; calls back with the problem, if any. Asks for room if the body is large. */
  receive?(received: (problem: Refused | undefined) => void, makeRoom: MakeRoom): void;
  /** The request as the runtime has it. */
  readonly raw?: unknown;
  /** The event name of a stream, if the URL requires one. */
  readonly eventName?: string | undefined;
  /** How many headers were sent, if the runtime leaves out what is over a number of its own. */
  readonly headerCount?: number;
  /** The address of the connection, if the runtime knows it. */
  readonly address?: string | undefined;
  /** The address of the client, behind trusted proxies the one that they forwarded. */
  clientAddress?: string | undefined;
  /** The principal that sent it, once it is authenticated. */
  principal: Principal | undefined;
}

/** Asks for room for so many bytes of a request; returns why there is none. */
export type MakeRoom = (bytes: number) => Refused | undefined;

/** HTTP headers by name. */
export type HttpHeaders = Readonly<Record<string, string>>;

/** Sends the response: whole, or as a stream of events. One of the two, once. */
export interface HttpResponder {
  send(status: number, headers: HttpHeaders, body: string): void;
  stream(headers: HttpHeaders): EventSink;
  /** Calls back, once, when the response is finished: sent whole, or aborted because the client disconnected. */
  onClose(listener: CloseListener): void;
  /** The value of a header of the request that is answered, its name in lower case. */
  header?(name: string): string | undefined;
  /** All of them, by their names in lower case. */
  sentHeaders?(): HttpHeaders;
  /** The request that is answered, if it is large: its calls keep it. */
  received: LargeRequest | undefined;
}

/** A large request: its bytes count for its sender until it is answered and its calls have ended. */
export interface LargeRequest extends CloseListener {
  /** Counts it as so many bytes from here on; returns why it may not have them. */
  grow(bytes: number): RpcError | undefined;
  /** One of its calls begins; `closed()` is called when it has ended. */
  use(): void;
}

/** An object, not a function: a reply passes itself, without a closure. */
export interface CloseListener {
  closed(): void;
}

/** A response that stays open for events. */
export interface EventSink {
  /** Writes text of the stream, whole events or comments. */
  write(text: string): void;
  /** Characters that wait for a slow client. */
  readonly waiting: number;
  end(): void;
  /** Disconnects a client that does not read; waiting text is discarded. */
  cut(): void;
}

/** A refusal by HTTP status, before any message of the protocol is read. */
export interface Refused {
  /** The HTTP status. */
  readonly status: number;
  /** The body of the response. */
  readonly text: string;
  /** Headers of the response. */
  readonly headers?: HttpHeaders;
  /** The `data` of the error. */
  readonly data?: unknown;
}

export function refuse(responder: HttpResponder, { status, text, headers = {}, data }: Refused): void {
  const error = { code: -32600, message: text, ...(data !== undefined && { data }) };
  responder.send(status, { ...jsonType, ...headers }, JSON.stringify({ jsonrpc: '2.0', error }));
}

/** After the body: a connection that is closed while a part of it is unread is reset, and the response is lost. */
export function refuseRead(request: HttpRequest, responder: HttpResponder, refused: Refused): void {
  if (request.receive === undefined) refuse(responder, refused);
  else
    request.receive(
      () => refuse(responder, refused),
      () => undefined,
    );
}

export const jsonType: HttpHeaders = Object.freeze({ 'content-type': 'application/json' });
export const eventStreamType: HttpHeaders = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
});

/** Compressed bodies are not accepted; `identity` means uncompressed. */
export const isEncoded = (encoding: string): boolean => !/^\s*(identity\s*)?$/i.test(encoding);

export const encoded: Refused = {
  status: 415,
  text: 'Content-Encoding is not supported: send the body uncompressed',
  headers: { 'accept-encoding': 'identity' },
};

export const bodyTooLarge = (maxBytes: number): Refused => ({
  status: 413,
  text: `The body has more than ${maxBytes} bytes, the limit of the server (limits.maxBodyBytes)`,
});

/**
 * Headers of a request, over Node. Node itself leaves out those after the first 1,000: a header of a proxy would be missing.
 * @limit HTTP
 * @beyond 431
 */
export const maxHeaders = 256;

export const tooManyHeaders: Refused = {
  status: 431,
  text: `The request has more than ${maxHeaders} headers, the limit of the server`,
};

/** For requests that can only be answered with a stream of events. */
export const eventsOnly: Refused = { status: 406, text: 'Send accept: text/event-stream' };

/** For requests that need a store which failed. */
export const storeUnavailable: Refused = {
  status: 503,
  text: 'The session store is not available: try again later',
  headers: { 'retry-after': '1' },
};

/** For requests that arrive while the server closes: another node, or the next process, can have them. */
export const serverClosing: Refused = {
  status: 503,
  text: 'The server is shutting down',
  headers: { 'retry-after': '1', connection: 'close' },
  data: notStartedData,
};
