/** The state of connections at one moment of a recording, as `foldEvent` computes it from the events. */
import type { RequestId } from '../../jsonrpc/message.ts';
import type { TapOccurrence, TapSide, TapTransport } from '../../transport/tap.ts';
import type {
  ClientCapabilities,
  Implementation,
  LoggingLevel,
  ServerCapabilities,
} from '../generated/types/records.ts';

/** An event of a recording, as a capture has it: messages are parsed. */
export type HistoryEvent = (
  | {
      readonly kind: 'message';
      readonly from: TapSide;
      /** The message, or a batch of them; absent if the text was no JSON. */
      readonly m?: unknown;
      readonly respondsTo?: RequestId;
    }
  | Exclude<TapOccurrence, { kind: 'message' }>
) & { readonly seq: number; readonly ms: number; readonly connection: number };

/** All connections of a recording at one moment. */
export interface History {
  /** The last event that is part of it; 0 before the first. */
  readonly seq: number;
  /** The connections by their numbers; of more than 200 the newest. */
  readonly connections: Readonly<Record<number, ConnectionHistory>>;
}

/** One connection at one moment. */
export interface ConnectionHistory {
  readonly transport: TapTransport;
  readonly peer: string;
  /** The state of the client, such as `ready`; `open` if the recording is of a server; `closed` at the end. */
  readonly state: string;
  /** `session` after a handshake, `exchange` if every request stands alone; absent before the first message says it. */
  readonly lifecycle?: 'session' | 'exchange';
  readonly protocolVersion?: string;
  readonly client?: Implementation;
  readonly server?: Implementation;
  readonly clientCapabilities?: ClientCapabilities;
  readonly serverCapabilities?: ServerCapabilities;
  readonly instructions?: string;
  readonly logLevel?: LoggingLevel;
  /** Requests without a response so far, the oldest first; of more than 1,000 the newest. */
  readonly openRequests: readonly OpenRequest[];
  /** URIs with a subscription; of more than 200 the newest. */
  readonly subscriptions: readonly string[];
  /** Tasks by their ids, the last state of each; of more than 200 the newest. */
  readonly tasks: Readonly<Record<string, TaskState>>;
  readonly counts: HistoryCounts;
}

/** A request that waits for its response. */
export interface OpenRequest {
  readonly id: RequestId;
  readonly from: TapSide;
  readonly method: string;
  /** The tool, prompt or URI that it is for. */
  readonly name?: string;
  /** The event of the request. */
  readonly seq: number;
  readonly ms: number;
  /** The last progress that was reported. */
  readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string };
  readonly progressToken?: string | number;
  /** The URIs that it listens to, of a request that stays open for that. */
  readonly uris?: readonly string[];
}

/** The last state of a task that a message showed. */
export interface TaskState {
  readonly status: string;
  readonly statusMessage?: string;
  /** The event that showed it. */
  readonly seq: number;
}

/** What was sent on a connection so far, in both directions. */
export interface HistoryCounts {
  readonly messages: number;
  readonly requests: number;
  readonly responses: number;
  readonly notifications: number;
  /** Error responses, and results of tools with `isError`. */
  readonly errors: number;
  /** Messages that are not JSON-RPC. */
  readonly invalid: number;
}
