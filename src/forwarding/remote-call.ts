/** A call at another server, as that server sees it: its answer, and the messages that belong to it. */
import type { Fields } from '../lib/values/is.ts';

/** The error object of a JSON-RPC message. */
export interface ReplyError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A result, or an error. */
export type Reply = { readonly result: Fields } | { readonly error: ReplyError };

/** A request that the other server sends. */
export interface RemoteRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: Fields;
}

export interface RemoteCall {
  answered(reply: Reply): void;
  requested(request: RemoteRequest): void;
  /** The other server no longer waits for the answer. */
  withdrawn(id: string | number): void;
  notified(method: string, params: Fields): void;
  /** It has no answer: the other server has closed, or could not be used. */
  failed(error: Error): void;
}

/** What calls are sent to. */
export interface RemoteServer {
  /** Begins a call; returns its id. */
  send(method: string, params: Fields, call: RemoteCall, extra?: Fields): number;
  /** Answers a request of the other server. */
  reply(id: string | number, reply: Reply): void;
  /** Aborts a call: nothing of it is received any more. Resolves when it has ended there, as far as that is known. */
  cancel(id: number, reason: string): Promise<void>;
  notify?(method: string, params?: Fields): void;
}
