/** The events sent on the streams of sessions, so that a client that lost a stream can resume it, at any process. */
import type { MaybePromise } from '../lib/values/maybe-promise.ts';

/** How many events are stored. */
export interface EventLogLimits {
  /** Characters stored of one stream; each event counts `eventOverhead` more. The last event may be longer, if the session has room for it. */
  readonly maxStreamChars: number;
  /**
   * Characters stored of all streams of one session, counted alike. Beyond that, streams that have ended are deleted,
   * the first to end first; then the longest open streams lose their oldest events, never the last event of the stream
   * in use. A single event that is longer is not stored, unless it is awaited. Events of a stream whose clients read at
   * another process may take as much again, until they were given to a reader: `readAfter(n)` says that it has `n`.
   */
  readonly maxSessionChars: number;
  /**
   * Characters stored of all sessions, counted alike; streams may count more. Beyond that, the largest shares make room:
   * their streams that have ended are deleted, the first to end first; then their oldest open streams lose their oldest
   * events. A store with a limit of its own may use that instead. Streams that were begun with `Infinity` do not count.
   */
  readonly maxTotalStoredChars: number;
  /** Whose share of `maxTotalStoredChars` a stream is, from its first event. Default that of its session. */
  readonly share?: string;
  /** Whether it is the share of a caller without a principal: these have at most half of the room, if others need it. */
  readonly isAnonymous?: boolean;
  /** Streams stored of one session. Beyond that, the stream that ended first is deleted. */
  readonly maxStreams: number;
  /**
   * Whether a client at another process is about to read the event. Then even an event that is too long is stored, for
   * a few seconds or until it is read after the end of its stream: the last event of a stream, and the last
   * `maxAwaited` of a session.
   */
  readonly isAwaited?: boolean;
  /**
   * The number of the change that the event is about. If the stream has an event about this change or a later one, it is
   * not added, and `append` returns 0: two processes may both notify a session of a change.
   */
  readonly change?: number | undefined;
}

/** What each event counts besides its characters, so that empty events are limited as well. */
export const eventOverhead = 64;

/**
 * Results too large for a session that are held for readers at other nodes, in each session.
 * @limit HTTP
 * @beyond the oldest are dropped: a warning, and its reader gets 400
 */
export const maxAwaited = 16;

/** One stored event of a stream. */
export interface StoredEvent {
  /** Its number in its stream, from 1. */
  readonly n: number;
  /** The text of the event: one message as JSON, or an empty string. */
  readonly data: string;
}

/** The stored events of a stream after a number, as `readAfter` returns them. */
export interface StoredEvents {
  /** The number that they follow: the requested one, or a later one if the events between are no longer stored. */
  readonly from: number;
  /** The events, oldest first. */
  readonly events: readonly StoredEvent[];
  /** Whether the stream has ended. */
  readonly ended: boolean;
  /** What the first event of the stream was stored with. */
  readonly note?: string | undefined;
  /** The number of the last change that an event of the stream is about. */
  readonly change?: number | undefined;
}

/** Events that are added to a stream when it ends. */
export interface LastEvents {
  /** The texts of the events. */
  readonly events: readonly string[];
  /** How many events are stored. */
  readonly limits: EventLogLimits;
}

/** Stores the events of streams. Operations of one process on one stream take effect in the order of the calls. */
export interface EventStore {
  /**
   * Adds an event to a stream, which begins with its first event; returns its number. `undefined`, and no effect, if the
   * stream has ended: another process may have ended it. A short `note` is stored with the first event of a stream.
   *
   * The only writer of a stream passes the number that the event gets: `at`. If the stream has that event, it is not
   * added again, and `at` is returned: a writer that got no answer repeats its call. If the stream lacks an event before
   * it, nothing is added, and 0 is returned.
   */
  append(
    session: string,
    stream: string,
    data: string,
    limits: EventLogLimits,
    note?: string,
    at?: number,
  ): MaybePromise<number | undefined>;
  /** The stored events after number `n`; `undefined` if there is no such stream, or it has fewer events. */
  readAfter(session: string, stream: string, n: number): MaybePromise<StoredEvents | undefined>;
  /**
   * Adds the last events of a stream, if there are any, and ends it, in one step. Returns the number of its last event;
   * `undefined`, and no effect, if the stream has ended, or has no events. 0, and no effect, if the stream lacks an event
   * before number `at`.
   */
  end(session: string, stream: string, last?: LastEvents, at?: number): MaybePromise<number | undefined>;
  /** Deletes all streams of a session. */
  deleteSession(session: string): MaybePromise<void>;
}
