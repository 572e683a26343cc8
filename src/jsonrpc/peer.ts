/** The interface of a peer, which is one side of a JSON-RPC connection, and the ports of its owner. */

import type { TenonError } from '../lib/errors/tenon-error.ts';
import type { Deadlines } from '../lib/time/deadlines.ts';
import type { ErrorObject } from './errors.ts';
import type { FrameOptions } from './frame-rules.ts';
import type { Message, NotificationMessage, RequestId, RequestMessage } from './message.ts';
import type { OnSettled, RequestOptions } from './outbox.ts';
import type { PeerCounts } from './peer-counts.ts';

/** The callbacks that the owner of a peer provides. */
export interface PeerPorts {
  /** Sends one frame to the other side; `message` is its content, absent for answers. */
  send(frame: string, message?: Message): void;
  /** Sends a batch of requests in one frame; `send` by default. */
  sendBatch?(frame: string, ids: readonly RequestId[]): void;
  /**
   * A request arrived, in a batch or alone. Answer it with `answer` or `refuse`, now or later. `authorization` is what its
   * sender put into `_meta.authorization`. It is a secret: only an authenticator may read it.
   */
  request(message: RequestMessage, batch: boolean, authorization?: string): void;
  notification(message: NotificationMessage, authorization?: string): void;
  /** A request of this side was cancelled or timed out: here the other side can be notified. */
  abandoned?(id: RequestId, method: string, reason: TenonError): void;
  /** Whether the other side may send batches now. */
  batches?(): boolean;
  /** Whether an error about a request with an unreadable id has the id null, or none. */
  nullId?(): boolean;
  /** A warning: an invalid message arrived, or an error that belongs to no request, or an answer could not be sent. */
  onWarning?(error: TenonError): void;
  /** The JSON text of a result, where the owner writes it faster than JSON.stringify. */
  resultText?(result: unknown): string | undefined;
}

export interface PeerOptions extends FrameOptions {
  /** The timers of the connection. For tests, which bring a clock of their own. */
  readonly deadlines?: Deadlines;
  /** Where dropped messages are counted, for owners of several peers. */
  readonly counts?: PeerCounts;
  /** Whether unreadable text, which may be a broken request, is answered with an error. Not for clients, whose servers may print. */
  readonly answersInvalidText?: boolean;
  /** The token that requests and notifications of this side carry beside their params. */
  readonly authorization?: () => string;
  /**
   * Whether an invalid answer to a request of this method is only dropped, since a valid one may follow in time. By
   * default it rejects the request.
   */
  readonly awaitsValidAnswer?: (method: string) => boolean;
  /** Requests of this side that may wait for an answer at once. */
  readonly maxPending?: number;
  /** Requests of the other side that may wait for an answer at once. */
  readonly maxInFlight?: number;
}

export interface Peer {
  /** The owner adds the messages that it drops itself. */
  readonly counts: PeerCounts;
  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown>;
  /** Sends all requests that `send` makes synchronously in one frame. If that fails, each of them is rejected. */
  batch(send: () => void): void;
  notify(method: string, params?: unknown): void;
  /**
   * Answers a request of the other side, once: later calls for the same request do nothing. Never throws. `text` is the
   * JSON of the result, where it is known already.
   */
  answer(id: RequestId, result: unknown): void;
  refuse(id: RequestId, error: ErrorObject): void;
  /** Forgets a request of the other side without an answer, as a cancellation asks for. */
  forget(id: RequestId): void;
  /** Time until `resume` does not count towards the timeouts of requests. Pairs may overlap. */
  pause(): void;
  resume(): void;
  /** How long it has been paused, in total. */
  readonly pausedMs: number;
  receive(frame: string): void;
  /** Handles bytes that the transport could not read as text: counted, answered and reported. */
  unreadable(error: TenonError): void;
  /** Rejects all pending requests with `connection-closed` while the connection is still open, so that the other side can be notified. */
  abandonAll(): void;
  /** The other side sends no more, but may still read: pending requests, and later ones, are rejected with `connection-closed`. */
  inputEnded(): void;
  /** Rejects a request of which the transport knows that no answer will come. */
  fail(id: RequestId, error: Error): void;
  isPending(id: RequestId): boolean;
  /** The ids of pending requests whose method matches. */
  pendingIds(matches: (method: string) => boolean): RequestId[];
  /** Sets the one callback for settled requests, or removes it. */
  onSettled(callback: OnSettled | undefined): void;
  /** Restarts the timeout of a request, as long as no more than `totalMs` have passed in total. */
  renew(id: RequestId, totalMs: number): void;
  /** Rejects all pending requests with `connection-closed`; idempotent. */
  close(reason?: Error): void;
}
