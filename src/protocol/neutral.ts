/** What the wires make of messages: values that look the same whichever revision carried them. */
import type { RpcErrorReason } from './errors.ts';
import type { ClientCapabilities, Implementation, LoggingLevel, RequestId } from './generated/types/records.ts';

/** One of the two sides of a connection. */
export type Side = 'client' | 'server';
export type Fields = Record<string, unknown>;

/** Who asks, as far as the client says so itself. */
export interface Introduction {
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly logLevel: LoggingLevel | undefined;
}

/** What a client brings back when it sends a call again with the answers it was asked for. */
export interface Round {
  readonly answers: Readonly<Record<string, unknown>>;
  readonly state: string | undefined;
}

/** A request that arrived. */
export interface Incoming {
  readonly method: string;
  readonly params: Fields;
  readonly meta: Fields;
  /** Set where every request introduces its sender. */
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

/** A notification, either way. */
export interface News {
  readonly method: string;
  readonly params?: Fields | undefined;
  /** The listening request it belongs to, where there is one. */
  readonly subscription?: RequestId | undefined;
}

/** A request of the server: elicitation, sampling or roots. */
export interface Question {
  readonly method: string;
  readonly params?: Fields;
}

/** How long a result stays fresh, and for whom. */
export interface CacheHint {
  readonly ttlMs: number;
  readonly scope: 'public' | 'private';
}

/** The outcome of a call that has its result. */
export interface Done {
  readonly kind: 'done';
  readonly result: Fields;
  readonly cache?: CacheHint | undefined;
  /** Who answered, where every result says so. */
  readonly by?: Implementation | undefined;
  /** The listening request that this ends. */
  readonly subscription?: RequestId | undefined;
  /** The type of a result that an extension defines; a plain one has none. */
  readonly resultType?: string | undefined;
  /** What the tool's output schema allows at its root. Without it, the value itself tells. */
  readonly outputRoot?: 'object' | 'any' | undefined;
}

/** What a call came to: an answer, questions that must be answered first, or work that goes on by itself. */
export type Outcome =
  | Done
  | {
      readonly kind: 'needs-input';
      readonly questions: Readonly<Record<string, Question>>;
      readonly state?: string | undefined;
    }
  | { readonly kind: 'task'; readonly task: Fields };

/** Why a message was refused. The expensive part, naming the place, is done only when asked for. */
export interface Refusal {
  readonly reason: RpcErrorReason;
  readonly message: string;
  readonly data?: unknown;
  /** The message with the place named, for the peer's author to read. */
  explain(): Promise<string>;
}

export type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };
