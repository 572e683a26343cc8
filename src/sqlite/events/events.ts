/** Event logs in SQLite, with the limits of the logs in memory. */
import { type Codec, eventPath, notePath } from '../../store/codec.ts';
import {
  type EventLogLimits,
  type EventStore,
  eventOverhead,
  hasChange,
  type LastEvents,
  notAdded,
  type StoredEvents,
} from '../../store/events/event-store.ts';
import type { Connection } from '../connection.ts';
import { EventRows, type LogRow } from './event-rows.ts';

export interface SqliteEvents extends EventStore {
  /** Deletes the logs of a session, inside a transaction. */
  deleteLogs(session: string): void;
  /** Deletes awaited events that were not read in time, inside a transaction. */
  deleteUnread(moment: number): void;
}

/** A client reads an event at once, unless it has disconnected. */
const awaitMs = 10_000;

export function createSqliteEvents(connection: Connection, now: () => number, codec: Codec): SqliteEvents {
  const rows = new EventRows(connection);
  const room = createRoom(rows);

  /** Adds an event to a log; returns its number. */
  function add(log: LogRow, data: string, limits: EventLogLimits): number {
    const { session, stream } = log;
    rows.dropAwaited(session, stream);
    const isFollowed = limits.isAwaited === true;
    const maxSize = Math.min(limits.maxSessionChars, limits.maxTotalStoredChars);
    rows.count(log, isFollowed, maxSize, limits.change);
    // Limits are those of the text, however it is stored.
    const event = { n: log.count + 1, data: codec.seal(eventPath(session, stream), data) };
    const size = data.length + eventOverhead;
    if (size <= maxSize) {
      rows.store(log, event, size);
      room.make(log, maxSize, limits);
      if ((rows.find(session, stream)?.stored ?? 0) > 0) return event.n;
    }
    if (isFollowed) {
      rows.setAwaited(log, event, size, now() + awaitMs);
      room.limitAwaited(log, limits.maxTotalStoredChars);
    } else rows.shorten(log, -1, 0);
    return event.n;
  }

  function begin(session: string, stream: string, { maxStreams }: EventLogLimits, note?: string): LogRow {
    room.deleteEnded(session, undefined, () => rows.streams(session) >= maxStreams);
    return rows.begin(session, stream, note && codec.seal(notePath(session, stream), note));
  }

  function end(session: string, stream: string, last: LastEvents | undefined, at?: number): number | undefined {
    const known = rows.find(session, stream);
    if (known?.isEnded === true) return undefined;
    if (notAdded(known?.count ?? 0, at) === 0) return 0;
    const log = known ?? (last && last.events.length > 0 ? begin(session, stream, last.limits) : undefined);
    if (log === undefined) return undefined;
    let { count } = log;
    for (const data of last?.events ?? []) count = add({ ...log, count }, data, (last as LastEvents).limits);
    rows.end(log);
    return count;
  }

  return {
    append(session, stream, data, limits, note, at) {
      return connection.write(() => {
        const known = rows.find(session, stream);
        if (known?.isEnded === true) return undefined;
        if (hasChange(known?.change, limits)) return 0;
        return notAdded(known?.count ?? 0, at) ?? add(known ?? begin(session, stream, limits, note), data, limits);
      });
    },
    readAfter: (session, stream, n) => connection.write(() => readLog(rows, codec, session, stream, n)),
    end: (session, stream, last, at) => connection.write(() => end(session, stream, last, at)),
    deleteSession: (session) => connection.write(() => rows.deleteSession(session)),
    deleteLogs: (session) => rows.deleteSession(session),
    deleteUnread(moment) {
      for (const awaited of rows.awaiting(moment)) rows.deleteAwaited(awaited);
    },
  };
}

/** How many of the last events of a stream stay: also those that a reader at another process was not given, until the session has twice its size. */
function sparedOf(rows: EventRows, { session, stream }: LogRow, least: number, maxSize: number): number {
  const { followed, count, given } = rows.find(session, stream) ?? { followed: false, count: 0, given: 0 };
  return followed && rows.sizeOfSession(session) <= maxSize * 2 ? Math.max(least, count - given) : least;
}

/** The stored events of a stream after a number. */
function readLog(rows: EventRows, codec: Codec, session: string, stream: string, n: number): StoredEvents | undefined {
  const log = rows.find(session, stream);
  if (log === undefined || n > log.count) return undefined;
  rows.give(log, n);
  const awaited = rows.awaitedOf(session, stream);
  const kept = log.stored + Number(awaited !== undefined);
  const from = Math.max(n, log.count - kept);
  const events = [...rows.eventsAfter(log, from)];
  if (awaited !== undefined && awaited.n > from) events.push({ n: awaited.n, data: awaited.data });
  if (awaited !== undefined && log.isEnded) rows.deleteAwaited(awaited);
  const path = eventPath(session, stream);
  return {
    from,
    events: events.map((event) => ({ n: event.n, data: codec.open(path, event.data) })),
    ended: log.isEnded,
    note: log.note && codec.open(notePath(session, stream), log.note),
    change: log.change,
  };
}

/** Makes room: which streams and events are deleted first. */
function createRoom(rows: EventRows) {
  const isSame = (one: LogRow, other: LogRow | undefined): boolean =>
    one.session === other?.session && one.stream === other.stream;

  /** Deletes streams that have ended, the first to end first, while `isNeeded` returns true. */
  function deleteEnded(session: string | undefined, inUse: LogRow | undefined, isNeeded: () => boolean): void {
    while (isNeeded()) {
      const ended = rows.ended(session).filter((log) => !isSame(log, inUse));
      if (ended.length === 0) return;
      for (const log of ended) {
        if (!isNeeded()) return;
        rows.delete(log);
      }
    }
  }

  /**
   * If only open streams are left, the longest lose their oldest events. The stream in use never loses its last event,
   * and one that is read at another process loses its last only when the others have none left.
   */
  function shortenOpen(inUse: LogRow, maxSize: number): void {
    const { session } = inUse;
    const target = maxSize * 0.875;
    const open = [...rows.sized(session)].sort(
      (one, other) => Number(one.followed) - Number(other.followed) || other.size - one.size,
    );
    for (const share of [target / open.length, 0])
      for (const known of open) {
        const excess = rows.sizeOfSession(session) - target;
        if (excess <= 0) return;
        const log = rows.find(known.session, known.stream) ?? known;
        const isSpared = isSame(log, inUse) || (log.followed && share > 0);
        rows.shorten(log, Math.max(share, log.size - excess), sparedOf(rows, log, isSpared ? 1 : 0, maxSize));
      }
  }

  function makeInSession(inUse: LogRow, maxSize: number, maxStreamChars: number): void {
    const isNeeded = (): boolean => rows.sizeOfSession(inUse.session) > maxSize;
    deleteEnded(inUse.session, inUse, isNeeded);
    // An event longer than `maxStreamChars` stays only where there is room for it.
    if (isNeeded()) rows.shorten(inUse, Math.min(maxStreamChars, maxSize), sparedOf(rows, inUse, 0, maxSize));
    if (isNeeded()) shortenOpen(inUse, maxSize);
  }

  function makeInAll(inUse: LogRow, maxTotal: number): void {
    deleteEnded(undefined, inUse, () => rows.sizeOfAll() > maxTotal);
    for (;;) {
      const open = rows.open().filter((log) => log.stored > (isSame(log, inUse) ? 1 : 0));
      if (open.length === 0) return;
      for (const log of open) {
        const excess = rows.sizeOfAll() - maxTotal;
        if (excess <= 0) return;
        rows.shorten(log, Math.max(0, log.size - excess), isSame(log, inUse) ? 1 : 0);
      }
    }
  }

  return {
    deleteEnded,
    /** Makes room for the last event of a stream. */
    make(log: LogRow, maxSize: number, { maxStreamChars, maxTotalStoredChars }: EventLogLimits): void {
      rows.shorten(log, Math.min(maxStreamChars, maxSize), sparedOf(rows, log, 1, maxSize));
      if (rows.sizeOfSession(log.session) > maxSize) makeInSession(log, maxSize, maxStreamChars);
      if (rows.sizeOfAll() > maxTotalStoredChars) makeInAll(log, maxTotalStoredChars);
    },
    /** Deletes the oldest awaited events beyond a size, never that of `newest`. */
    limitAwaited(newest: LogRow, maxSize: number): void {
      for (;;) {
        if (rows.sizeOfAwaited() <= maxSize) return;
        const oldest = rows.awaiting().find((one) => one.session !== newest.session || one.stream !== newest.stream);
        if (oldest === undefined) return;
        rows.deleteAwaited(oldest);
      }
    },
  };
}
