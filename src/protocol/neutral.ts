/** Messages in a form that is the same for every revision: what wires read messages into and write them from. */
import type { Fields } from '../lib/values/is.ts';
import type { RpcErrorReason } from './errors.ts';
import type { ClientCapabilities, Implementation, LoggingLevel, RequestId } from './generated/types/records.ts';

/** One of the two sides of a connection. */
export type Side = 'client' | 'server';

/** What a client states about itself. */
export interface Introduction {
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly logLevel: LoggingLevel | undefined;
}

/** What a client adds when it retries a call with the input that was required. */
export interface Round {
  /** An answer for each key of `inputRequests`: the result of that server request. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** The `state` of the outcome that required them, unchanged. */
  readonly state?: string | undefined;
}

/** A request that arrived. */
export interface Incoming {
  readonly method: string;
  readonly params: Fields;
  readonly meta: Fields;
  /** Set in revisions where every request carries it. */
  readonly introduction: Introduction | undefined;
  readonly round: Round | undefined;
}

/** A request to be sent. */
export interface Outgoing {
  readonly method: string;
  readonly params?: Fields;
  readonly introduction?: Introduction;
  readonly round?: Round;
}

/** A notification, received or to be sent. */
export interface Notification {
  readonly method: string;
  readonly params?: Fields | undefined;
  /** The id of the `subscriptions/listen` request it belongs to, where there is one. */
  readonly subscription?: RequestId | undefined;
}

/** A request of the server: elicitation, sampling or roots. */
export interface InputRequest {
  /** The method, such as `elicitation/create`. */
  readonly method: string;
  /** The params of the method. */
  readonly params?: Record<string, unknown>;
}

/** How long a result may be cached, and by whom. */
export interface CacheHint {
  /** How long the result may be cached, in milliseconds. */
  readonly ttlMs: number;
  /** `public` if all users may share the cached result, `private` if only the same user may use it. */
  readonly scope: 'public' | 'private';
}

/** The outcome of a call that has its result. */
export interface Done {
  readonly resultType: 'complete';
  /** The result, as the protocol defines it for the method. */
  readonly result: Record<string, unknown>;
  /** How long the result may be cached, and for whom; absent if not at all. */
  readonly cache?: CacheHint | undefined;
  /** The server's name and version, in revisions where every result carries it. */
  readonly by?: Implementation | undefined;
  /** The id of the `subscriptions/listen` request that this result ends. */
  readonly subscription?: RequestId | undefined;
  /** The type that an extension defines for its result; a plain one has none. */
  readonly extensionType?: string | undefined;
  /** Whether the tool's output schema allows only objects at its root. If it is absent, the value decides. */
  readonly outputRoot?: 'object' | 'any' | undefined;
}

/** The outcome of a call: a result, requests for input that must be answered first, or a task that continues. */
export type Outcome =
  | Done
  | {
      readonly resultType: 'input_required';
      readonly inputRequests: Readonly<Record<string, InputRequest>>;
      readonly state?: string | undefined;
    }
  | { readonly resultType: 'task'; readonly task: Record<string, unknown> };

/** Why a message was refused. Finding the place is expensive, so `explain` does it on demand. */
export interface Refusal {
  readonly reason: RpcErrorReason;
  readonly message: string;
  readonly data?: unknown;
  /** The message with the place named, for the peer's author to read. */
  explain(): Promise<Explanation>;
}

export interface Explanation {
  readonly text: string;
  /** The `data` of the error, where it has more than the refusal. */
  readonly data?: unknown;
}

export type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };
