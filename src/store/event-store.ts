/** What was sent on the streams of sessions, so that a reader who lost one can take it up again, at any process. */
import type { MaybePromise } from './maybe-promise.ts';

export interface EventLogLimits {
  /** Characters kept of one stream; each event counts a few for itself. The last event may be longer, where the session has room for it. */
  readonly maxKept: number;
  /** Characters kept of all streams of one session, counted alike: beyond, those that have ended are forgotten, the first to end first; where none is left, the longest that go on lose their oldest events, never the last of the one in use. A single event that is longer is not kept, unless it is awaited. */
  readonly maxSessionKept: number;
  /** Streams kept of one session: beyond, the oldest that has ended is forgotten. */
  readonly maxStreams: number;
  /** Whether a reader at another process is about to come for the event: what would not be kept stays until it was given after the end of its stream, or for a few seconds; one of a session, the last. */
  readonly isAwaited?: boolean;
}

/** What an event counts beside its characters, so that empty ones are bounded as well. */
export const eventOverhead = 64;

export interface KeptEvent {
  /** Its place in its stream. The first has 1. */
  readonly n: number;
  readonly data: string;
}

export interface KeptEvents {
  /** The place that they follow: the one asked for, or a later one where what stood between is not kept any more. */
  readonly from: number;
  readonly events: readonly KeptEvent[];
  /** Whether nothing will follow. */
  readonly ended: boolean;
}

/** Operations on one stream take effect in the order in which one process asks for them. */
export interface EventLogs {
  /** Adds an event to a stream, which begins with its first; gives its place. */
  append(session: string, stream: string, data: string, limits: EventLogLimits): MaybePromise<number>;
  /** What is kept of what follows an event, oldest first; `undefined` where there is no such stream, or it has not come that far. */
  after(session: string, stream: string, n: number): MaybePromise<KeptEvents | undefined>;
  /** Nothing will follow on a stream. Without effect on one that nothing was sent on. */
  end(session: string, stream: string): MaybePromise<void>;
  /** Forgets all streams of a session. */
  drop(session: string): MaybePromise<void>;
}
