/** HTTP as the endpoint sees it, whichever runtime carries it. */

export interface HttpRequest {
  readonly method: string;
  /** The value of a header, its name in lower case. */
  header(name: string): string | undefined;
  /** The text of the body; empty where there is none, and before it is received. */
  readonly body: string;
  /** Has the body read, where the runtime has not done so; tells what is wrong with it, if anything is. */
  receive?(told: (problem: Refused | undefined) => void): void;
  /** Finds out the principal, where something before the endpoint knows it. */
  readonly recognize?: (() => string | undefined | PromiseLike<string | undefined>) | undefined;
  /** What the events of a stream are to be called, where the address asks for that. */
  readonly eventName?: string;
  /** Issuer and subject of whoever is at the other end, where somebody has found out. */
  principal: string | undefined;
}

export type HttpHeaders = Readonly<Record<string, string>>;

/** Where the answer goes: whole, or as a stream of events. One of the two, once. */
export interface HttpResponder {
  send(status: number, headers: HttpHeaders, body: string): void;
  stream(headers: HttpHeaders): EventSink;
  /** Tells, once, when the response is over: sent whole, or given up because the other side has gone. */
  onClose(hearer: { closed(): void }): void;
  /** The value of a header of the request that is answered, its name in lower case. */
  header?(name: string): string | undefined;
}

/** A response that stays open for events. */
export interface EventSink {
  /** Writes text of the stream, whole events or comments. */
  write(text: string): void;
  /** Characters that wait for a reader who is slow. */
  readonly waiting: number;
  end(): void;
  /** Gives up a reader who does not read: what waits is thrown away. */
  cut(): void;
}

/** A refusal that needs no protocol. */
export interface Refused {
  readonly status: number;
  readonly text: string;
  readonly headers?: HttpHeaders;
}

export function refuse(responder: HttpResponder, { status, text, headers = {} }: Refused): void {
  const error = { code: -32600, message: text };
  responder.send(status, { ...jsonType, ...headers }, JSON.stringify({ jsonrpc: '2.0', error }));
}

export const jsonType: HttpHeaders = Object.freeze({ 'content-type': 'application/json' });
export const eventStreamType: HttpHeaders = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
});

/** Bodies are taken as they are; `identity` says just that. */
export const isEncoded = (encoding: string): boolean => !/^\s*(identity\s*)?$/i.test(encoding);

export const encoded: Refused = {
  status: 415,
  text: 'Send the body without content-encoding',
  headers: { 'accept-encoding': 'identity' },
};

/** Requests that are answered by a stream of events or not at all. */
export const eventsOnly: Refused = { status: 406, text: 'Send accept: text/event-stream' };

/** Requests that need a store which does not answer. */
export const unkept: Refused = {
  status: 503,
  text: 'The session cannot be looked up at present',
  headers: { 'retry-after': '1' },
};

/** Requests that come when the server goes. */
export const leaving: Refused = {
  status: 503,
  text: 'The server is about to close',
  headers: { 'retry-after': '1' },
};
