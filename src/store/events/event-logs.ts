/** The event logs of one store in memory, and their sizes: of a stream, of its session, and of all sessions. */
import { eventOverhead, maxAwaited, type StoredEvent } from './event-store.ts';

/** The log of one stream. */
export interface Log {
  readonly name: string;
  readonly session: SessionLogs;
  readonly stored: StoredEvent[];
  /** Characters of the stored events, with their overhead. */
  size: number;
  /** Events so far, stored or not. */
  count: number;
  ended: boolean;
  /** Whether a client reads the stream at another process. */
  isFollowed: boolean;
  /** The last event that a reader was given. */
  given: number;
  /** The number of the last change that an event is about. */
  change?: number | undefined;
  /** What its first event was stored with. */
  readonly note: string | undefined;
  /** The last event, where it is too large to be stored and a client is about to read it. It follows the stored ones. */
  awaited?: StoredEvent | undefined;
  /** Until when it is held. */
  awaitedUntil: number;
}

/** The logs of one session. */
export interface SessionLogs {
  readonly all: AllLogs;
  readonly byStream: Map<string, Log>;
  /** Streams that have ended, the first to end first: making room then need not search all streams. */
  readonly ended: Set<Log>;
  /** Characters of all streams, without awaited events: nothing is deleted for those. */
  size: number;
  /** The latest `maxSessionChars`, or `maxTotalStoredChars` where that is less. */
  maxSize: number;
  /** Logs whose last event is awaited, the oldest first; absent where there was none. */
  awaiting?: Set<Log> | undefined;
}

/** The logs of all sessions of one store. */
export interface AllLogs {
  readonly bySession: Map<string, SessionLogs>;
  /** Streams that have ended, the first to end first. */
  readonly ended: Set<Log>;
  /** Open streams with stored events, the one that has had some for longest first. */
  readonly open: Set<Log>;
  /** Logs whose last event is awaited, the oldest first. */
  readonly awaiting: Set<Log>;
  /** Characters of all streams, without awaited events. */
  size: number;
  /** Characters of all awaited events. */
  awaitedSize: number;
}

/** What each stream counts in the size of all logs, so that streams without stored events are limited as well. */
const streamOverhead = 512;

export const createLogs = (): AllLogs => ({
  bySession: new Map(),
  ended: new Set(),
  open: new Set(),
  awaiting: new Set(),
  size: 0,
  awaitedSize: 0,
});

export const sizeOf = ({ data }: StoredEvent): number => data.length + eventOverhead;

export function beginSession(all: AllLogs, key: string): SessionLogs {
  const session: SessionLogs = { all, byStream: new Map(), ended: new Set(), size: 0, maxSize: 0 };
  all.bySession.set(key, session);
  return session;
}

export function beginLog(session: SessionLogs, name: string, note: string | undefined): Log {
  const log: Log = {
    name,
    session,
    stored: [],
    size: 0,
    count: 0,
    ended: false,
    isFollowed: false,
    note,
    given: 0,
    awaitedUntil: 0,
  };
  session.byStream.set(name, log);
  session.all.size += streamOverhead;
  return log;
}

export function endLog(log: Log): void {
  log.ended = true;
  log.session.ended.add(log);
  log.session.all.open.delete(log);
  log.session.all.ended.add(log);
}

export function deleteLog(log: Log): void {
  const { session } = log;
  if (log.awaited !== undefined) deleteAwaited(log);
  session.ended.delete(log);
  session.byStream.delete(log.name);
  session.all.open.delete(log);
  session.all.ended.delete(log);
  session.all.size -= streamOverhead;
  grow(log, -log.size);
}

/** Adds an event to a log; the caller makes room for it. */
export function store(log: Log, event: StoredEvent): void {
  if (log.stored.push(event) === 1 && !log.ended) log.session.all.open.add(log);
  grow(log, sizeOf(event));
}

/** Deletes the oldest events, except the last `spared`. Few are deleted at a time, and few are stored: `shift` is cheaper than a ring buffer. */
export function shorten(log: Log, maxSize: number, spared: number): void {
  while (log.size > maxSize && log.stored.length > spared) grow(log, -sizeOf(log.stored.shift() as StoredEvent));
  if (log.stored.length === 0) log.session.all.open.delete(log);
}

/** Holds the last event of a log for the client that is about to read it. The oldest such events of its session make room. */
export function setAwaited(log: Log, event: StoredEvent, until: number): void {
  const { session } = log;
  if (log.awaited !== undefined) deleteAwaited(log);
  log.awaited = event;
  log.awaitedUntil = until;
  session.awaiting ??= new Set();
  session.awaiting.add(log);
  session.all.awaiting.add(log);
  session.all.awaitedSize += sizeOf(event);
  const [oldest] = session.awaiting;
  if (session.awaiting.size > maxAwaited && oldest !== undefined) deleteAwaited(oldest);
}

/** Deletes the events before it too: the stored events of a stream are always its last ones. */
export function deleteAwaited(log: Log): void {
  const { session, awaited } = log;
  if (awaited !== undefined) session.all.awaitedSize -= sizeOf(awaited);
  log.awaited = undefined;
  session.awaiting?.delete(log);
  session.all.awaiting.delete(log);
  shorten(log, -1, 0);
}

function grow(log: Log, by: number): void {
  log.size += by;
  log.session.size += by;
  log.session.all.size += by;
}
