/** Event logs in the memory of this process. */
import { type EventLogLimits, type EventStore, eventOverhead, type StoredEvent } from './event-store.ts';

interface Log {
  readonly stored: StoredEvent[];
  /** Characters of the stored events, with their overhead. */
  size: number;
  /** Events so far, stored or not. */
  count: number;
  ended: boolean;
  /** Whether a client reads the stream at another process. */
  isFollowed: boolean;
  /** The last event, where it is too large to be stored and a client is about to read it. It follows the stored ones. */
  awaited?: StoredEvent | undefined;
}

/** The logs of one session. */
interface Logs {
  readonly byStream: Map<string, Log>;
  /** Streams that have ended, the first to end first: making room then need not search all streams. */
  readonly ended: Map<string, Log>;
  /** Characters of all streams, without awaited events: nothing is deleted for those. */
  size: number;
  /** The latest `maxSessionChars`. */
  maxSize: number;
  /** The log whose last event is awaited, and until when. */
  awaited?: { readonly log: Log; readonly until: number } | undefined;
}

export interface MemoryEvents extends EventStore {
  append(session: string, stream: string, data: string, limits: EventLogLimits): number;
  deleteSession(session: string): void;
  /** Deletes awaited events that were not read in time. */
  deleteExpired(): void;
}

/** A client reads an event at once, unless it has disconnected. */
const awaitMs = 10_000;

export function createMemoryEvents(now: () => number): MemoryEvents {
  const sessions = new Map<string, Logs>();
  return {
    append(session, stream, data, limits) {
      const logs = sessions.get(session) ?? beginLogs(sessions, session);
      const log = logs.byStream.get(stream) ?? begin(logs, stream, limits);
      if (log.awaited !== undefined) deleteAwaited(logs, log);
      log.count++;
      log.isFollowed = limits.isAwaited === true;
      logs.maxSize = limits.maxSessionChars;
      const event = { n: log.count, data };
      if (storeEvent(logs, log, event, limits)) return log.count;
      if (log.isFollowed) {
        if (logs.awaited !== undefined) deleteAwaited(logs, logs.awaited.log);
        log.awaited = event;
        logs.awaited = { log, until: now() + awaitMs };
      } else shorten(logs, log, -1, 0);
      return log.count;
    },
    readAfter(session, stream, n) {
      const logs = sessions.get(session);
      const log = logs?.byStream.get(stream);
      if (logs === undefined || log === undefined || n > log.count) return undefined;
      const { stored, count, ended, awaited } = log;
      const all = awaited === undefined ? stored : [...stored, awaited];
      const from = Math.max(n, count - all.length);
      const events = all.slice(all.length - (count - from));
      if (ended && awaited !== undefined) deleteAwaited(logs, log);
      return { from, events, ended };
    },
    end(session, stream) {
      const logs = sessions.get(session);
      const log = logs?.byStream.get(stream);
      if (logs === undefined || log === undefined) return;
      log.ended = true;
      logs.ended.set(stream, log);
    },
    deleteSession(session) {
      sessions.delete(session);
    },
    deleteExpired() {
      const moment = now();
      for (const logs of sessions.values())
        if (logs.awaited !== undefined && logs.awaited.until <= moment) deleteAwaited(logs, logs.awaited.log);
    },
  };
}

/** Stores an event and makes room for it; returns whether it was stored. */
function storeEvent(logs: Logs, log: Log, event: StoredEvent, { maxStreamChars }: EventLogLimits): boolean {
  const size = event.data.length + eventOverhead;
  // It would be too large even if all other events were deleted.
  if (size > logs.maxSize) return false;
  log.stored.push(event);
  grow(logs, log, size);
  shorten(logs, log, Math.min(maxStreamChars, logs.maxSize), 1);
  if (logs.size > logs.maxSize) makeRoom(logs, log, maxStreamChars);
  return log.stored.length > 0;
}

/** Deletes streams that have ended first. The stream in use stays: its client may be about to read it. */
function makeRoom(logs: Logs, inUse: Log, maxStreamChars: number): void {
  const isNeeded = (): boolean => logs.size > logs.maxSize;
  deleteEnded(logs, inUse, isNeeded);
  // An event longer than `maxStreamChars` stays only where there is room for it.
  if (isNeeded()) shorten(logs, inUse, Math.min(maxStreamChars, logs.maxSize), 0);
  if (isNeeded()) shortenOpen(logs, inUse);
}

/**
 * Makes room if only open streams are left: the longest lose their oldest events. The stream in use never loses its
 * last event, and a stream that is read at another process loses its last only when the others have none left. Makes
 * more room than needed, so that the next events need no search of all streams.
 */
function shortenOpen(logs: Logs, inUse: Log): void {
  const target = logs.maxSize * 0.875;
  const order = (one: Log, other: Log): number =>
    Number(one.isFollowed) - Number(other.isFollowed) || other.size - one.size;
  const open = [...logs.byStream.values()].filter(({ size }) => size > 0).sort(order);
  for (const share of [target / open.length, 0])
    for (const log of open) {
      const excess = logs.size - target;
      if (excess <= 0) return;
      const isSpared = log === inUse || (log.isFollowed && share > 0);
      shorten(logs, log, Math.max(share, log.size - excess), isSpared ? 1 : 0);
    }
}

/** Deletes the events before it too: the stored events of a stream are always its last ones. */
function deleteAwaited(logs: Logs, log: Log): void {
  log.awaited = undefined;
  if (logs.awaited?.log === log) logs.awaited = undefined;
  shorten(logs, log, -1, 0);
}

function beginLogs(sessions: Map<string, Logs>, session: string): Logs {
  const logs: Logs = { byStream: new Map(), ended: new Map(), size: 0, maxSize: 0 };
  sessions.set(session, logs);
  return logs;
}

/** Only streams that have ended are deleted: the number of open ones is limited elsewhere. */
function begin(logs: Logs, stream: string, { maxStreams }: EventLogLimits): Log {
  deleteEnded(logs, undefined, () => logs.byStream.size >= maxStreams);
  const log: Log = { stored: [], size: 0, count: 0, ended: false, isFollowed: false };
  logs.byStream.set(stream, log);
  return log;
}

/** Deletes streams that have ended, the first to end first, while `isNeeded` returns true. */
function deleteEnded(logs: Logs, inUse: Log | undefined, isNeeded: () => boolean): void {
  for (const [name, log] of logs.ended) {
    if (!isNeeded()) return;
    if (log === inUse) continue;
    logs.ended.delete(name);
    logs.byStream.delete(name);
    logs.size -= log.size;
    if (logs.awaited?.log === log) logs.awaited = undefined;
  }
}

/** Deletes the oldest events, except the last `spared`. Few are deleted at a time, and few are stored: `shift` is cheaper than a ring buffer. */
function shorten(logs: Logs, log: Log, maxSize: number, spared: number): void {
  while (log.size > maxSize && log.stored.length > spared)
    grow(logs, log, -(log.stored.shift()?.data.length ?? 0) - eventOverhead);
}

function grow(logs: Logs, log: Log, by: number): void {
  log.size += by;
  logs.size += by;
}
