/** The events of a history: what clients sent and received, what handlers did, and what went wrong, in order. */
import type { TaskHistoryEvent } from './task-events.ts';

/** A client sends a request. `token` is in its arguments, and its result must carry the same. */
export interface RequestSent {
  readonly type: 'request';
  /** Unique in the history. */
  readonly request: string;
  readonly client: string;
  /** The principal of the client. */
  readonly principal: string;
  /** What the result repeats. Requests with one idempotency key and the same arguments have one token. */
  readonly token: string;
  readonly idempotencyKey?: string;
  /** Whether the handler has an effect: then a result without an effect is a violation. */
  readonly hasEffect?: boolean;
}

/** The client receives the result of a request. */
export interface ResultReceived {
  readonly type: 'result';
  readonly request: string;
  /** The token in the result. */
  readonly token: string;
  /** The principal that the handler saw, as the result has it. */
  readonly owner: string;
  /** The answers to server requests that the handler received, as the result has them. */
  readonly answers?: readonly string[];
}

/** The client receives a named error instead. A lost connection without a resumable stream is `outcome-unknown`. */
export interface ErrorReceived {
  readonly type: 'error';
  readonly request: string;
  /** A word such as `outcome-unknown`, `store-failed` or `cancelled`. */
  readonly code: string;
}

/** The handler runs its effect: the thing that must not happen twice. */
export interface EffectRun {
  readonly type: 'effect';
  readonly node: string;
  /** The principal that the handler saw. */
  readonly principal: string;
  readonly token: string;
  readonly idempotencyKey?: string;
}

/** The client receives a server request (an elicitation) of one of its requests. */
export interface ServerRequestReceived {
  readonly type: 'server-request';
  readonly request: string;
  /** Unique in the history. */
  readonly question: string;
  /** The principal that the handler saw. */
  readonly owner: string;
}

/** The client answers a server request. */
export interface AnswerAccepted {
  readonly type: 'answer';
  readonly question: string;
  /** What the result must have among its `answers`. */
  readonly answer: string;
  /** False if the client does not know whether a node received it: then the call may time out. Default true. */
  readonly isCertain?: boolean;
}

/** A client begins to read a stream: the responses of a request, or the stream of a session. */
export interface StreamOpened {
  readonly type: 'stream-opened';
  /** Unique in the history; a resumed stream has the same name. */
  readonly stream: string;
  readonly principal: string;
}

/** The client resumes a stream after the event with this ID. */
export interface StreamResumed {
  readonly type: 'stream-resumed';
  readonly stream: string;
  readonly after: string;
}

/** An event of a stream arrives. */
export interface StreamEventReceived {
  readonly type: 'stream-event';
  readonly stream: string;
  /** The ID of the event, where the stream has such. */
  readonly id?: string;
  /** The number that the writer put into it: 1, 2, 3 … of its stream. */
  readonly n: number;
  /** The principal that the writer saw. */
  readonly owner: string;
}

/** A stream ends for its client. */
export interface StreamClosed {
  readonly type: 'stream-closed';
  readonly stream: string;
  /** How many events the writer put into it, if the stream ended with its result. */
  readonly count?: number;
  /** The named error that ended it otherwise. */
  readonly code?: string;
}

/** The server accepted that a client listens to topics. Again for the same listener: a new connection, after which it reads everything again. */
export interface ListenerOpened {
  readonly type: 'listening';
  readonly listener: string;
  readonly principal: string;
  readonly topics: readonly string[];
}

/** A listener stops, of its own will or because it was closed by name. */
export interface ListenerClosed {
  readonly type: 'listener-closed';
  readonly listener: string;
}

/** Something changed on a node. */
export interface ChangeMade {
  readonly type: 'change';
  readonly node: string;
  readonly topic: string;
  /** Its number in its topic, rising. */
  readonly version: number;
  /** Whom it is for; absent: every listener of the topic. */
  readonly principal?: string;
}

/** A listener receives a notification of a change. */
export interface ChangeReceived {
  readonly type: 'change-received';
  readonly listener: string;
  readonly topic: string;
  /** The version that it read after the notification, or that the notification names. */
  readonly version?: number;
}

/** A listener was notified that it may have missed changes, and reads everything again. */
export interface ChangesMissed {
  readonly type: 'changes-missed';
  readonly listener: string;
}

/** A node is started, drained or killed. */
export interface NodeEvent {
  readonly type: 'node';
  readonly node: string;
  readonly what: 'started' | 'draining' | 'drained' | 'killed' | 'paused' | 'resumed';
}

/** An operation of the store fails, or loses its answer. */
export interface StoreFault {
  readonly type: 'store-fault';
  readonly node?: string;
  readonly operation: string;
  /** For instance: failed before, failed after, delayed, disconnected, locked. */
  readonly fault: string;
}

/** The network delays or cuts something. */
export interface NetworkFault {
  readonly type: 'network-fault';
  readonly client?: string;
  readonly node?: string;
  readonly fault: string;
}

export type HistoryEvent =
  | RequestSent
  | ResultReceived
  | ErrorReceived
  | EffectRun
  | ServerRequestReceived
  | AnswerAccepted
  | StreamOpened
  | StreamResumed
  | StreamEventReceived
  | StreamClosed
  | ListenerOpened
  | ListenerClosed
  | ChangeMade
  | ChangeReceived
  | ChangesMissed
  | NodeEvent
  | StoreFault
  | NetworkFault
  | TaskHistoryEvent;

/** The events of one type. */
export type EventOf<T extends HistoryEvent['type']> = Extract<HistoryEvent, { readonly type: T }>;

/** All events of a type, in order. */
export const ofType = <T extends HistoryEvent['type']>(history: readonly HistoryEvent[], type: T): EventOf<T>[] =>
  history.filter((event): event is EventOf<T> => event.type === type);

/** Groups events by a key, in the order of their first events. */
export function groupBy<E>(events: readonly E[], keyOf: (event: E) => string): Map<string, E[]> {
  const groups = new Map<string, E[]>();
  for (const event of events) {
    const key = keyOf(event);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [event]);
    else group.push(event);
  }
  return groups;
}
