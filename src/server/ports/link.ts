/** What the two lifecycles need of the connection that a request came by. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestId, RequestMessage } from '../../jsonrpc/message.ts';
import type { LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { News, Outcome, Question } from '../../protocol/neutral.ts';
import type { ProgressUpdate } from '../../protocol/progress.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { LinkOrigin } from './request-details.ts';

/** A call in flight, as the connection it came by knows it. */
export interface CallInFlight {
  /** Whether it counts towards the calls that may run at once; false once it has ended. */
  counts: boolean;
  /** Where its answer goes, where a session looks that up by the id of the request. */
  reply?: PendingReply | undefined;
  cancel(reason: unknown): void;
}

/** The reply to a request that waits. */
export interface PendingReply {
  /** Answers a request that is cancelled before it has ended. */
  reject(id: RequestId, error: RpcError, status: number): void;
  /** One answer fewer is to come. */
  abandon(): void;
}

/** Why a call is cancelled that its client did not cancel: it has disconnected. */
export const clientDisconnected = 'the client has disconnected';
export const connectionEnded = 'the connection ended';
/** Why a call is cancelled that takes longer than a closing server waits. */
export const serverCloses = 'the server is closing';

export const isDisconnect = (reason: unknown): boolean => reason === clientDisconnected || reason === connectionEnded;

/** One thing that a session has learned after its handshake. */
export type SessionUpdate =
  | { readonly kind: 'initialized' }
  | { readonly kind: 'level'; readonly level: LoggingLevel }
  | { readonly kind: 'watch' | 'unwatch'; readonly uri: string };

export interface Link extends LinkOrigin {
  /** Issuer and subject of the client, where the transport knows them. */
  readonly principal: string | undefined;
  /** Names the request that a call came by in logs, where the transport has such names. */
  readonly requestId?: string;
  /** Answers a request in the form of a revision. */
  settle(message: RequestMessage, revision: Revision, outcome: Outcome | RpcError): void;
  notify(revision: Revision, notification: News): void;
  /** Ends the connection of a call that runs on. Absent where the client could not resume it. */
  disconnect?(retryMs: number): void;
  /** Sends a request to the client, and resolves with its result. An aborted request is cancelled. */
  sendRequest(
    revision: Revision,
    request: Question,
    signal: AbortSignal,
    onProgress?: (progress: ProgressUpdate) => void,
  ): Promise<unknown>;
  /** The client has reported progress on a request. */
  progressed(notification: News): void;
  /** Stores what a session has learned, so that it can be resumed; absent where it ends with its connection. */
  remember?(update: SessionUpdate): Promise<unknown>;
  /** Adds a call to those in flight; false where no more may run at once. */
  begin(id: RequestId, call: CallInFlight): boolean;
  /** Whether this very call was still in flight: a call that was cancelled may end late. */
  end(id: RequestId, call: CallInFlight): boolean;
}
