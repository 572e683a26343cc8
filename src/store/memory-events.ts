/** Event logs in the memory of this process. */
import { type EventLogLimits, type EventLogs, eventOverhead, type KeptEvent } from './event-logs.ts';

interface Log {
  readonly kept: KeptEvent[];
  size: number;
  /** How many there were in all. */
  count: number;
  ended: boolean;
}

/** The logs of one session, oldest first. */
interface Logs {
  readonly byStream: Map<string, Log>;
  size: number;
  /** What it was last said that they may have together. */
  most: number;
}

export interface MemoryEvents extends EventLogs {
  append(session: string, stream: string, data: string, limits: EventLogLimits): number;
  drop(session: string): void;
}

export function createMemoryEvents(): MemoryEvents {
  const sessions = new Map<string, Logs>();
  return {
    append(session, stream, data, limits) {
      const logs = sessions.get(session) ?? beginLogs(sessions, session);
      const log = logs.byStream.get(stream) ?? begin(logs, stream, limits);
      log.count++;
      log.kept.push({ n: log.count, data });
      const size = data.length + eventOverhead;
      grow(logs, log, size);
      logs.most = limits.maxSessionKept;
      const most = Math.min(limits.maxKept, logs.most);
      // One that is larger than all that may be kept would take the place of everything, and stay too large.
      shorten(logs, log, most, size > logs.most ? 0 : 1);
      makeRoom(logs, log);
      // One that is larger than a stream may keep stays only where there is room for it.
      if (logs.size > logs.most) shorten(logs, log, most, 0);
      return log.count;
    },
    after(session, stream, n) {
      const log = sessions.get(session)?.byStream.get(stream);
      if (log === undefined || n > log.count) return undefined;
      const first = log.kept.length - (log.count - n);
      return first < 0 ? undefined : { events: log.kept.slice(first), ended: log.ended };
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
  };
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
