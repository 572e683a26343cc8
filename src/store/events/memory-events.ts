/** Event logs in the memory of this process. */

import {
  beginLog,
  beginSession,
  createLogs,
  deleteAwaited,
  deleteLog,
  endLog,
  type Log,
  setAwaited,
  shorten,
  sizeOf,
  store,
} from './event-logs.ts';
import { limitAwaited, makeRoomForStream, makeRoomInAll, makeRoomInSession, sparedOf } from './event-room.ts';
import {
  type EventLogLimits,
  type EventStore,
  hasChange,
  type LastEvents,
  notAdded,
  type StoredEvent,
} from './event-store.ts';

export interface MemoryEvents extends EventStore {
  append(
    session: string,
    stream: string,
    data: string,
    limits: EventLogLimits,
    note?: string,
    at?: number,
  ): number | undefined;
  end(session: string, stream: string, last?: LastEvents, at?: number): number | undefined;
  deleteSession(session: string): void;
  /** Deletes awaited events that were not read in time. */
  deleteExpired(): void;
}

/**
 * How long these are held. A client reads an event at once, unless it has disconnected.
 * @limit HTTP
 * @beyond they are dropped
 */
const awaitMs = 10_000;

export function createMemoryEvents(now: () => number): MemoryEvents {
  const all = createLogs();
  const find = (key: string, stream: string): Log | undefined => all.bySession.get(key)?.byStream.get(stream);

  function begin(key: string, stream: string, { maxStreams }: EventLogLimits, note?: string): Log {
    const session = all.bySession.get(key) ?? beginSession(all, key);
    makeRoomForStream(session, maxStreams);
    return beginLog(session, stream, note);
  }

  function add(log: Log, data: string, limits: EventLogLimits): number {
    const { session } = log;
    log.change = limits.change ?? log.change;
    if (log.awaited !== undefined) deleteAwaited(log);
    log.count++;
    log.isFollowed = limits.isAwaited === true;
    session.maxSize = Math.min(limits.maxSessionChars, limits.maxTotalStoredChars);
    const event = { n: log.count, data };
    if (storeEvent(log, event, limits)) return log.count;
    if (log.isFollowed) {
      setAwaited(log, event, now() + awaitMs);
      limitAwaited(all, log, limits.maxTotalStoredChars);
    } else shorten(log, -1, 0);
    return log.count;
  }

  return {
    append(key, stream, data, limits, note, at) {
      const known = find(key, stream);
      if (known?.ended === true) return undefined;
      if (hasChange(known?.change, limits)) return 0;
      return notAdded(known?.count ?? 0, at) ?? add(known ?? begin(key, stream, limits, note), data, limits);
    },
    readAfter(key, stream, n) {
      const log = find(key, stream);
      if (log === undefined || n > log.count) return undefined;
      log.given = Math.max(log.given, n);
      const { stored, count, ended, awaited, note, change } = log;
      const events = awaited === undefined ? stored : [...stored, awaited];
      const from = Math.max(n, count - events.length);
      const rest = events.slice(events.length - (count - from));
      if (ended && awaited !== undefined) deleteAwaited(log);
      return { from, events: rest, ended, note, change };
    },
    end(key, stream, last, at) {
      const known = find(key, stream);
      if (known?.ended === true) return undefined;
      if (notAdded(known?.count ?? 0, at) === 0) return 0;
      const log = known ?? (last && last.events.length > 0 ? begin(key, stream, last.limits) : undefined);
      if (log === undefined) return undefined;
      for (const data of last?.events ?? []) add(log, data, (last as LastEvents).limits);
      endLog(log);
      return log.count;
    },
    deleteSession(key) {
      for (const log of all.bySession.get(key)?.byStream.values() ?? []) deleteLog(log);
      all.bySession.delete(key);
    },
    deleteExpired() {
      const moment = now();
      for (const log of all.awaiting) if (log.awaitedUntil <= moment) deleteAwaited(log);
    },
  };
}

/** Stores an event and makes room for it; returns whether it was stored. */
function storeEvent(log: Log, event: StoredEvent, { maxStreamChars, maxTotalStoredChars }: EventLogLimits): boolean {
  const { session } = log;
  // It would be too large even if all other events were deleted.
  if (sizeOf(event) > session.maxSize) return false;
  store(log, event);
  shorten(log, Math.min(maxStreamChars, session.maxSize), sparedOf(log, 1));
  if (session.size > session.maxSize) makeRoomInSession(log, maxStreamChars);
  if (session.all.size > maxTotalStoredChars) makeRoomInAll(session.all, log, maxTotalStoredChars);
  return log.stored.length > 0;
}
