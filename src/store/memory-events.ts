/** Event logs in the memory of this process. */
import { type EventLogLimits, type EventLogs, eventOverhead, type KeptEvent } from './event-store.ts';

interface Log {
  readonly kept: KeptEvent[];
  size: number;
  /** How many there were in all. */
  count: number;
  ended: boolean;
  /** Whether a reader at another process was on the way for the last event. */
  isFollowed: boolean;
  /** The last event, where it is too large to be kept and a reader is on the way for it. It follows those that are kept. */
  awaited?: KeptEvent | undefined;
}

/** The logs of one session. */
interface Logs {
  readonly byStream: Map<string, Log>;
  /** Those that have ended, the first to end first: the many that go on need no look when room is made. */
  readonly ended: Map<string, Log>;
  /** What awaited events have is not counted: nothing else is forgotten for them. */
  size: number;
  /** What it was last said that they may have together. */
  most: number;
  /** The one whose last event is awaited, and until when. */
  awaited?: { readonly log: Log; readonly until: number } | undefined;
}

export interface MemoryEvents extends EventLogs {
  append(session: string, stream: string, data: string, limits: EventLogLimits): number;
  drop(session: string): void;
  /** Forgets what was awaited for long enough. */
  sweep(): void;
}

/** Readers come for what they are told of at once, or have gone. */
const awaitMs = 10_000;

export function createMemoryEvents(now: () => number): MemoryEvents {
  const sessions = new Map<string, Logs>();
  return {
    append(session, stream, data, limits) {
      const logs = sessions.get(session) ?? beginLogs(sessions, session);
      const log = logs.byStream.get(stream) ?? begin(logs, stream, limits);
      if (log.awaited !== undefined) forgetAwaited(logs, log);
      log.count++;
      log.isFollowed = limits.isAwaited === true;
      logs.most = limits.maxSessionKept;
      const event = { n: log.count, data };
      if (keep(logs, log, event, limits)) return log.count;
      if (log.isFollowed) {
        if (logs.awaited !== undefined) forgetAwaited(logs, logs.awaited.log);
        log.awaited = event;
        logs.awaited = { log, until: now() + awaitMs };
      } else shorten(logs, log, -1, 0);
      return log.count;
    },
    after(session, stream, n) {
      const logs = sessions.get(session);
      const log = logs?.byStream.get(stream);
      if (logs === undefined || log === undefined || n > log.count) return undefined;
      const { kept, count, ended, awaited } = log;
      const all = awaited === undefined ? kept : [...kept, awaited];
      const from = Math.max(n, count - all.length);
      const events = all.slice(all.length - (count - from));
      if (ended && awaited !== undefined) forgetAwaited(logs, log);
      return { from, events, ended };
    },
    end(session, stream) {
      const logs = sessions.get(session);
      const log = logs?.byStream.get(stream);
      if (logs === undefined || log === undefined) return;
      log.ended = true;
      logs.ended.set(stream, log);
    },
    drop(session) {
      sessions.delete(session);
    },
    sweep() {
      const moment = now();
      for (const logs of sessions.values())
        if (logs.awaited !== undefined && logs.awaited.until <= moment) forgetAwaited(logs, logs.awaited.log);
    },
  };
}

/** Keeps an event and makes room for it; says whether it is kept. One that is larger than all that may be kept touches nothing. */
function keep(logs: Logs, log: Log, event: KeptEvent, { maxKept }: EventLogLimits): boolean {
  const size = event.data.length + eventOverhead;
  // One that is larger than all that may be kept would take the place of everything, and stay too large.
  if (size > logs.most) return false;
  log.kept.push(event);
  grow(logs, log, size);
  shorten(logs, log, Math.min(maxKept, logs.most), 1);
  if (logs.size > logs.most) makeRoom(logs, log, maxKept);
  return log.kept.length > 0;
}

/** Streams that have ended go first. The one in use stays: its reader may still be on the way. */
function makeRoom(logs: Logs, inUse: Log, maxKept: number): void {
  const isNeeded = (): boolean => logs.size > logs.most;
  forgetWhile(logs, inUse, isNeeded);
  // An event that is larger than a stream may keep stays only where there is room for it.
  if (isNeeded()) shorten(logs, inUse, Math.min(maxKept, logs.most), 0);
  if (isNeeded()) shortenOpen(logs, inUse);
}

/**
 * Makes room where only streams are left that go on: the longest lose their oldest events. The one in use never loses its
 * last, and one that is read elsewhere only when the others have none left. Some room is left over, so that the next
 * events find it without a look at all streams.
 */
function shortenOpen(logs: Logs, inUse: Log): void {
  const most = logs.most * 0.875;
  const order = (one: Log, other: Log): number =>
    Number(one.isFollowed) - Number(other.isFollowed) || other.size - one.size;
  const open = [...logs.byStream.values()].filter(({ size }) => size > 0).sort(order);
  for (const share of [most / open.length, 0])
    for (const log of open) {
      const excess = logs.size - most;
      if (excess <= 0) return;
      const isSpared = log === inUse || (log.isFollowed && share > 0);
      shorten(logs, log, Math.max(share, log.size - excess), isSpared ? 1 : 0);
    }
}

/** With the last event those before it go: what is kept of a stream is its end. */
function forgetAwaited(logs: Logs, log: Log): void {
  log.awaited = undefined;
  if (logs.awaited?.log === log) logs.awaited = undefined;
  shorten(logs, log, -1, 0);
}

function beginLogs(sessions: Map<string, Logs>, session: string): Logs {
  const logs: Logs = { byStream: new Map(), ended: new Map(), size: 0, most: 0 };
  sessions.set(session, logs);
  return logs;
}

/** A stream that has not ended has somebody who writes on it: that is bounded elsewhere. */
function begin(logs: Logs, stream: string, { maxStreams }: EventLogLimits): Log {
  forgetWhile(logs, undefined, () => logs.byStream.size >= maxStreams);
  const log: Log = { kept: [], size: 0, count: 0, ended: false, isFollowed: false };
  logs.byStream.set(stream, log);
  return log;
}

/** Forgets those that have ended, the first to end first, as long as there is need. */
function forgetWhile(logs: Logs, inUse: Log | undefined, isNeeded: () => boolean): void {
  for (const [name, log] of logs.ended) {
    if (!isNeeded()) return;
    if (log === inUse) continue;
    logs.ended.delete(name);
    logs.byStream.delete(name);
    logs.size -= log.size;
    if (logs.awaited?.log === log) logs.awaited = undefined;
  }
}

/** Forgets the oldest events, save the last `spared`. Few are dropped at a time, and seldom many are kept: shifting costs less than a ring would. */
function shorten(logs: Logs, log: Log, most: number, spared: number): void {
  while (log.size > most && log.kept.length > spared)
    grow(logs, log, -(log.kept.shift()?.data.length ?? 0) - eventOverhead);
}

function grow(logs: Logs, log: Log, by: number): void {
  log.size += by;
  logs.size += by;
}
