/** What the two lifecycles need of the connection of a request. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestId, RequestMessage } from '../../jsonrpc/message.ts';
import type { GuardedCaller } from '../../ports/guard.ts';
import type { Principal } from '../../ports/principal.ts';
import type { LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { InputRequest, Notification, Outcome } from '../../protocol/neutral.ts';
import type { ProgressUpdate } from '../../protocol/progress.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { QueuedCall } from './call-slots.ts';
import type { LinkOrigin } from './request-details.ts';

/** A call in flight, as its connection knows it. */
export interface CallInFlight extends QueuedCall {
  /** Whether it counts towards the calls that may run at once; false once it has ended. */
  counts: boolean;
  /** The reply that gets its answer, if a session has to find it by the id of the request. */
  reply?: PendingReply | undefined;
  cancel(reason: unknown): void;
}

/** The reply to a request that waits. */
export interface PendingReply {
  /** Answers a request that is cancelled before it has finished, with an error. */
  reject(id: RequestId, error: RpcError, status: number): void;
  /** One request will not be answered. */
  abandon(): void;
}

/** The reason of a call that is cancelled because its client disconnected. */
export const clientDisconnected = 'the client has disconnected';
export const connectionEnded = 'the connection ended';
/** The reason of a call that is cancelled because it takes longer than the closing server waits. */
export const serverCloses = 'the server is closing';

/** The reason of what ends because its principal was revoked. */
export const principalRevoked = 'its principal was revoked';

export const isDisconnect = (reason: unknown): boolean => reason === clientDisconnected || reason === connectionEnded;

/** A change of the state of a session after `initialize`. */
export type SessionUpdate =
  | { readonly kind: 'initialized' }
  | { readonly kind: 'level'; readonly level: LoggingLevel }
  | { readonly kind: 'watch' | 'unwatch'; readonly uri: string };

/** A request of a handler, and whether the client should run it as a task; absent if the server decides. */
export interface SentRequest extends InputRequest {
  readonly task?: { readonly ttlMs?: number } | false;
}

/** How a request is sent that the client runs as a task. */
export interface TaskRequest {
  /** How long the client has, its result included. It may allow less. */
  readonly ttlMs: number;
  /** Whether the client lets it be cancelled. */
  readonly canCancel: boolean;
  /** Set if the task outlives the connection: another one follows it again. */
  readonly memory?: TaskMemory | undefined;
}

/** Remembers the task that a client has started for a request. */
export interface TaskMemory {
  readonly taskId: string | undefined;
  onTask(taskId: string): void;
}

export interface Link extends LinkOrigin {
  /** Who sends the requests, if the transport knows it. */
  readonly principal: Principal | undefined;
  /** The IP address of the client, if the transport knows it. */
  readonly address?: string | undefined;
  /** Who receives what belongs to no request. Absent if it is not known; only a guard needs it. */
  readonly listener?: GuardedCaller | undefined;
  /** Names the session in the tasks that it creates, so that it gets their status. */
  readonly sessionKey?: string;
  /** The id of the HTTP request, for logs. */
  readonly requestId?: string;
  /** Answers a request in the form of a revision. */
  settle(message: RequestMessage, revision: Revision, outcome: Outcome | RpcError): void;
  notify(revision: Revision, notification: Notification): void;
  /** The problem with the headers that repeat arguments of a tool, by its input schema. Absent if there are no headers. */
  mirrorProblem?(inputSchema: unknown, args: unknown): string | undefined;
  /** Ends the connection of a call, which continues. Absent if the client could not resume it. */
  disconnect?(retryMs: number): void;
  /** Sends the client of a subscription the time to wait before it subscribes again; absent if it stays connected. */
  hintListener?(): void;
  /**
   * Sends a request to the client, as a task if `task` is set, and resolves with its result. An aborted request is
   * cancelled.
   */
  sendRequest(
    revision: Revision,
    request: InputRequest,
    signal: AbortSignal,
    onProgress?: (progress: ProgressUpdate) => void,
    task?: TaskRequest,
  ): Promise<unknown>;
  /** The client has reported the status of a task that it runs. */
  taskChanged?(notification: Notification): void;
  /** The client has reported progress on a request. */
  progressed(notification: Notification): void;
  /** Stores an update of a session, so that it can be resumed; absent if the session ends with its connection. */
  remember?(update: SessionUpdate): Promise<unknown>;
  /** Counts bytes that a session holds from here on, or gives them back; returns why it may not. Absent if they are not counted. */
  hold?(bytes: number): RpcError | undefined;
  /** Adds a call to those in flight; returns why it may not run now. */
  begin(id: RequestId, call: CallInFlight): RpcError | undefined;
  /** Removes a call; returns whether it was still in flight, and not cancelled before. */
  end(id: RequestId, call: CallInFlight): boolean;
}
