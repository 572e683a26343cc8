/** Event logs in the memory of this process. */
import { type EventLogLimits, type EventLogs, eventOverhead, type KeptEvent } from './event-logs.ts';

interface Log {
  readonly kept: KeptEvent[];
  size: number;
  /** How many there were in all. */
  count: number;
  ended: boolean;
  /** The last event, where it is too large to be kept and a reader is on the way for it. It follows those that are kept. */
  awaited?: KeptEvent | undefined;
}

/** The logs of one session, oldest first. */
interface Logs {
  readonly byStream: Map<string, Log>;
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
      logs.most = limits.maxSessionKept;
      const event = { n: log.count, data };
      if (keep(logs, log, event, limits)) return log.count;
      if (limits.isAwaited === true) {
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
      makeRoom(logs, log);
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
  makeRoom(logs, log);
  // One that is larger than a stream may keep stays only where there is room for it.
  if (logs.size > logs.most) shorten(logs, log, Math.min(maxKept, logs.most), 0);
  return log.kept.length > 0;
}

/** With the last event those before it go: what is kept of a stream is its end. */
function forgetAwaited(logs: Logs, log: Log): void {
  log.awaited = undefined;
  if (logs.awaited?.log === log) logs.awaited = undefined;
  shorten(logs, log, -1, 0);
}

function beginLogs(sessions: Map<string, Logs>, session: string): Logs {
  const logs: Logs = { byStream: new Map(), size: 0, most: 0 };
  sessions.set(session, logs);
  return logs;
}

/** A stream that has not ended has somebody who writes on it: that is bounded elsewhere. */
function begin(logs: Logs, stream: string, { maxStreams }: EventLogLimits): Log {
  forgetWhile(logs, undefined, () => logs.byStream.size >= maxStreams);
  const log: Log = { kept: [], size: 0, count: 0, ended: false };
  logs.byStream.set(stream, log);
  return log;
}

/** The one in use stays: its reader may still be on the way. */
function makeRoom(logs: Logs, inUse: Log): void {
  if (logs.size > logs.most) forgetWhile(logs, inUse, () => logs.size > logs.most);
}

/** Forgets those that have ended, the oldest first, as long as there is need. */
function forgetWhile(logs: Logs, inUse: Log | undefined, isNeeded: () => boolean): void {
  for (const [name, log] of logs.byStream) {
    if (!isNeeded()) return;
    if (!log.ended || log === inUse) continue;
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
