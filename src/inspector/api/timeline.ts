/** Recordings and the rows of their timelines. Texts stay in the backend and are fetched by `seq`. */
import type { TapOccurrence, TapSide } from '../../transport/tap.ts';

/** What was recorded: `live` is everything since the inspector was started, others are captures that were opened. */
export interface Recording {
  /** `live`, or such as `f1`. */
  readonly id: string;
  /** The name of the file, or `live`. */
  readonly name: string;
  /** When it began, in milliseconds since the Unix epoch. */
  readonly began: number;
  /** The first event that there still is: older ones of `live` are dropped beyond the limit. 0 if there is none. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly rows: number;
  /** Whether a capture has its last line; one that was cut off is readable up to there. */
  readonly isComplete: boolean;
}

/** One event, as one line of the timeline. */
export interface Row {
  /** Ascending, with gaps. In `live` it is the `seq` of the event stream. */
  readonly seq: number;
  /** Milliseconds since the recording began. */
  readonly ms: number;
  /** The number of the connection in the recording. A client that reconnects has several. */
  readonly connection: number;
  /** The client of the inspector that it belongs to; only in `live`. */
  readonly client?: string;
  readonly kind: TapOccurrence['kind'];
  /** The side that sent a message. */
  readonly from?: TapSide;
  /** What a message is. `batch` has several, `invalid` is no JSON-RPC. */
  readonly type?: 'request' | 'response' | 'error' | 'notification' | 'batch' | 'invalid';
  /** The method of a message; of a response that of its request. */
  readonly method?: string;
  readonly id?: string | number;
  /** The tool, prompt or URI that a message is about. */
  readonly name?: string;
  /** Of a response: the `seq` of its request. Of a notification of progress: the `seq` of the request it is about. */
  readonly pair?: number;
  /** Of a response: since its request. */
  readonly latencyMs?: number;
  /** An error response, a result with `isError`, an HTTP status of 400 and above, a request that broke, a warning. */
  readonly isError?: boolean;
  /** Of an HTTP request and its response: the number of the request within the connection. */
  readonly request?: number;
  readonly status?: number;
  /** The length of the text. */
  readonly chars: number;
  /**
   * What it is about, at most 160 characters on one line: of a message its arguments, the texts of its result, the names
   * of a list or the error; of anything else what happened.
   */
  readonly summary: string;
}

/** The text of an event: of a message as it was sent, of anything else as JSON. */
export interface EventText {
  readonly seq: number;
  readonly text: string;
  /** Whether the rest is missing: one text has at most 4 Mi characters, all of an answer at most 8 Mi. */
  readonly isCut?: boolean;
}

/** The numbers of one second, for charts. Seconds without any are left out. */
export interface NumbersBucket {
  /** The second, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Requests of clients that were answered in this second, how many of them with an error, and how long they took. */
  readonly calls: number;
  readonly errors: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** Messages in both directions, and their characters. */
  readonly messages: number;
  readonly chars: number;
  /** At the end of the second: clients that are connected, or sessions of the server that the inspector is mounted at. */
  readonly sessions: number;
  /** At the end of the second: open event streams. */
  readonly streams: number;
}
