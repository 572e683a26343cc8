/** One side of a JSON-RPC connection: what it does, and what it needs of its owner. */
import type { Deadlines } from './deadlines.ts';
import type { ErrorObject, RpcError, TenonError } from './errors.ts';
import type { FrameOptions } from './frame.ts';
import type { Message, NotificationMessage, RequestId, RequestMessage } from './message.ts';
import type { Ended, RequestOptions } from './outbox.ts';
import type { PeerCounts } from './peer-counts.ts';

/** What a peer needs of its owner. */
export interface PeerPorts {
  /** Carries one frame to the other side; `message` is what it says, where it is not an answer that was written before. */
  send(frame: string, message?: Message): void;
  /** A request came, in a batch or alone. Its answer goes through `answer` or `refuse`, now or later. */
  request(message: RequestMessage, batch: boolean): void;
  notification(message: NotificationMessage): void;
  /** A request of this side was given up: the place to tell the other side. */
  abandoned?(id: RequestId, method: string, reason: TenonError): void;
  /** Whether the other side may send batches now. */
  batches?(): boolean;
  /** Whether an error about a request whose id cannot be read has the id null now, or none. */
  nullId?(): boolean;
  /** What arrived is no valid message, or an error that belongs to no request; or an answer could not leave. */
  fault?(error: TenonError | RpcError): void;
}

export interface PeerOptions extends FrameOptions {
  readonly deadlines?: Deadlines;
  /** Where to count what is dropped, for owners of several peers. */
  readonly counts?: PeerCounts;
  /** Whether noise, which may be a request that got broken, is answered by an error. A client of servers that print leaves it. */
  readonly answersNoise?: boolean;
  /** Requests of this side that may wait for an answer at once. */
  readonly maxPending?: number;
  /** Requests of the other side that may wait for an answer at once. */
  readonly maxInFlight?: number;
}

export interface Peer {
  /** The owner counts here too what it drops itself. */
  readonly counts: PeerCounts;
  request(method: string, params?: unknown, options?: RequestOptions): Promise<unknown>;
  notify(method: string, params?: unknown): void;
  /**
   * Answers a request of the other side, once: later calls for the same request do nothing. Never throws. Who knows the
   * JSON of the result already passes it along.
   */
  answer(id: RequestId, result: unknown, text?: string): void;
  refuse(id: RequestId, error: ErrorObject): void;
  /** Forgets a request of the other side without an answer, as a cancellation asks for. */
  forget(id: RequestId): void;
  /** Time from here to `resume` counts for no request of this side. Pairs may overlap. */
  pause(): void;
  resume(): void;
  receive(frame: string): void;
  /** Counts, answers and tells what the transport could not even read as text. */
  unreadable(error: TenonError): void;
  /** Gives up all that waits, with `connection-closed`: the other side can be told, since the connection is still there. */
  giveUpAll(): void;
  /** The other side says no more, and may hear still: what waits for it fails with `connection-closed`, and so does what is asked from here on. */
  unheard(): void;
  /** Rejects a request of this side that the transport knows to have no answer. */
  fail(id: RequestId, error: Error): void;
  /** Whether anybody waits for the answer to a request of this side. */
  waits(id: RequestId): boolean;
  /** The requests of this side that wait for their answer and have such a method. */
  waiting(fits: (method: string) => boolean): RequestId[];
  /** Hears of each request of this side whose wait ends, however it does, until somebody else or nobody is to hear of it. */
  watch(ended: Ended | undefined): void;
  /** The time that a request of this side may take begins anew, as long as no more than `totalMs` have passed in all. */
  renew(id: RequestId, totalMs: number): void;
  /** Settles all that waits with `connection-closed`; idempotent. */
  close(reason?: Error): void;
}
