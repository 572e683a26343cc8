/** Event logs in the memory of this process. */
import { type EventLogLimits, type EventLogs, eventOverhead, type KeptEvent } from './event-logs.ts';

interface Log {
  readonly kept: KeptEvent[];
  size: number;
  /** How many there were in all. */
  count: number;
  ended: boolean;
}

type Logs = Map<string, Log>;

export interface MemoryEvents extends EventLogs {
  append(session: string, stream: string, data: string, limits: EventLogLimits): number;
  drop(session: string): void;
}

export function createMemoryEvents(): MemoryEvents {
  const sessions = new Map<string, Logs>();
  return {
    append(session, stream, data, limits) {
      const logs = sessions.get(session) ?? new Map<string, Log>();
      if (logs.size === 0) sessions.set(session, logs);
      const log = logs.get(stream) ?? begin(logs, stream, limits);
      log.count++;
      log.kept.push({ n: log.count, data });
      log.size += data.length + eventOverhead;
      shorten(log, limits);
      return log.count;
    },
    after(session, stream, n) {
      const log = sessions.get(session)?.get(stream);
      if (log === undefined || n > log.count) return undefined;
      const missing = log.count - n;
      return missing > log.kept.length
        ? undefined
        : { events: missing === 0 ? [] : log.kept.slice(-missing), ended: log.ended };
    },
    end(session, stream) {
      const log = sessions.get(session)?.get(stream);
      if (log !== undefined) log.ended = true;
    },
    drop(session) {
      sessions.delete(session);
    },
  };
}

/** A stream that has not ended has somebody who writes on it: that is bounded elsewhere. */
function begin(logs: Logs, stream: string, { maxStreams }: EventLogLimits): Log {
  if (logs.size >= maxStreams) {
    for (const [name, { ended }] of logs) {
      if (!ended) continue;
      logs.delete(name);
      break;
    }
  }
  const log: Log = { kept: [], size: 0, count: 0, ended: false };
  logs.set(stream, log);
  return log;
}

/** Few are dropped at a time, and seldom many are kept: shifting costs less than a ring would. */
function shorten(log: Log, { maxKept }: EventLogLimits): void {
  while (log.size > maxKept && log.kept.length > 1) {
    log.size -= (log.kept.shift()?.data.length ?? 0) + eventOverhead;
  }
}
