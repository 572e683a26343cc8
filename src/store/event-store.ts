/** The events sent on the streams of sessions, so that a client that lost a stream can resume it, at any process. */
import type { MaybePromise } from './maybe-promise.ts';

export interface EventLogLimits {
  /** Characters stored of one stream; each event counts `eventOverhead` more. The last event may be longer, where the session has room for it. */
  readonly maxStreamChars: number;
  /**
   * Characters stored of all streams of one session, counted alike. Beyond that, streams that have ended are deleted,
   * the first to end first; then the longest open streams lose their oldest events, never the last event of the stream
   * in use. A single event that is longer is not stored, unless it is awaited.
   */
  readonly maxSessionChars: number;
  /** Streams stored of one session. Beyond that, the stream that ended first is deleted. */
  readonly maxStreams: number;
  /**
   * Whether a client at another process is about to read the event. One that is too long to be stored then stays until
   * it was read after the end of its stream, or for a few seconds; one event of a session, the last.
   */
  readonly isAwaited?: boolean;
}

/** What an event counts besides its characters, so that empty events are limited as well. */
export const eventOverhead = 64;

export interface StoredEvent {
  /** Its place in its stream, from 1. */
  readonly n: number;
  readonly data: string;
}

export interface StoredEvents {
  /** The place that they follow: the requested one, or a later one where the events between are no longer stored. */
  readonly from: number;
  readonly events: readonly StoredEvent[];
  /** Whether the stream has ended. */
  readonly ended: boolean;
}

/** Operations of one process on one stream take effect in the order of the calls. */
export interface EventStore {
  /** Adds an event to a stream, which begins with its first event; returns its place. */
  append(session: string, stream: string, data: string, limits: EventLogLimits): MaybePromise<number>;
  /** The stored events after place `n`, oldest first; `undefined` where there is no such stream, or it is shorter. */
  readAfter(session: string, stream: string, n: number): MaybePromise<StoredEvents | undefined>;
  /** Ends a stream. Without effect on one that has no events. */
  end(session: string, stream: string): MaybePromise<void>;
  /** Deletes all streams of a session. */
  deleteSession(session: string): MaybePromise<void>;
}
