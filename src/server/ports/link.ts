/** What the two lifecycles need of the connection they are spoken on. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { RequestId, RequestMessage } from '../../jsonrpc/message.ts';
import type { LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { News, Outcome, Question } from '../../protocol/neutral.ts';
import type { Told } from '../../protocol/progress.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { LinkOrigin } from './request-details.ts';

/** A call under way, and what of it runs at present: its handler, or the wait for an answer. */
export interface CallUnderWay {
  /** An object, not a function: a function stored anew for every call is kept by V8 until a full collection. */
  present: { cancel(reason: unknown): void } | undefined;
  /** Whether it counts among those that may run at once. */
  counts: boolean;
  /** Set when its client has given it up: nothing more is asked for it. */
  cancelled?: boolean;
  /** Where its answer goes, where that is found by its id. */
  answering?: Answering | undefined;
}

/** The reply to a request that waits. */
export interface Answering {
  /** Answers a request that is given up before it has ended. */
  give(id: RequestId, error: RpcError, status: number): void;
  /** One answer fewer is to come. */
  abandon(): void;
}

/** Why a call is given up whose client has not said that it wants it no more: it is not there to say anything. */
export const clientGone = 'the client has gone';
export const connectionEnded = 'the connection ended';
/** Why a call is given up that has taken longer than a server waits that is about to close. */
export const serverCloses = 'the server is closing';

export const isDrop = (reason: unknown): boolean => reason === clientGone || reason === connectionEnded;

/** One thing that a session has learned after its handshake. */
export type LearnedFact =
  | { readonly kind: 'initialized' }
  | { readonly kind: 'level'; readonly level: LoggingLevel }
  | { readonly kind: 'watch' | 'unwatch'; readonly uri: string };

export interface Link extends LinkOrigin {
  /** Issuer and subject of whoever is at the other end, where the transport knows. */
  readonly principal: string | undefined;
  /** Names the request that a call came by in logs, where the transport has such names. */
  readonly requestId?: string;
  /** Answers a request in the words of a revision. */
  settle(message: RequestMessage, revision: Revision, outcome: Outcome | RpcError): void;
  notify(revision: Revision, news: News): void;
  /** Ends the connection of a call that runs on. Absent where the client could not come back for the rest. */
  disconnect?(retryMs: number): void;
  /** Puts a question to the client, and gives the result as it came. A question given up is taken back. */
  put(revision: Revision, question: Question, signal: AbortSignal, hear?: (told: Told) => void): Promise<unknown>;
  /** The client tells how far the answer to a question is. */
  told(news: News): void;
  /** Keeps what a session has learned where it can be taken up from; absent where it ends with its connection. */
  remember?(fact: LearnedFact): Promise<unknown>;
  /** Takes a call among those under way; `undefined` where no more may run at once. */
  begin(id: RequestId, counts: boolean): CallUnderWay | undefined;
  /** Whether this very call was still under way: a call that was cancelled may end late. */
  end(id: RequestId, call: CallUnderWay): boolean;
}
