/** Makes room in the event logs of a store in memory: which streams and events are deleted first. */
import { type AllLogs, deleteAwaited, deleteLog, type Log, type SessionLogs, shorten } from './event-logs.ts';

/** Makes room in the session of a stream. Streams that have ended are deleted first. The stream in use stays: its client may be about to read it. */
export function makeRoomInSession(inUse: Log, maxStreamChars: number): void {
  const { session } = inUse;
  const isNeeded = (): boolean => session.size > session.maxSize;
  deleteEnded(session.ended, inUse, isNeeded);
  // An event longer than `maxStreamChars` stays only where there is room for it.
  if (isNeeded()) shorten(inUse, Math.min(maxStreamChars, session.maxSize), sparedOf(inUse, 0));
  if (isNeeded()) shortenOpen(session, inUse);
}

/**
 * How many of the last events of a stream stay. Where it is read at another process, those that its reader was not given
 * stay too, until its session has twice its size.
 */
export function sparedOf({ session, isFollowed, count, given }: Log, least: number): number {
  return isFollowed && session.size <= session.maxSize * 2 ? Math.max(least, count - given) : least;
}

/** Makes room in all sessions: streams that have ended are deleted, then the oldest open streams lose their oldest events. */
export function makeRoomInAll(all: AllLogs, inUse: Log, maxSize: number): void {
  deleteEnded(all.ended, inUse, () => all.size > maxSize);
  for (const log of all.open) {
    const excess = all.size - maxSize;
    if (excess <= 0) return;
    shorten(log, Math.max(0, log.size - excess), log === inUse ? 1 : 0);
  }
}

/** Only streams that have ended are deleted: the number of open ones is limited elsewhere. */
export function makeRoomForStream({ ended, byStream }: SessionLogs, maxStreams: number): void {
  deleteEnded(ended, undefined, () => byStream.size >= maxStreams);
}

/** Deletes the oldest awaited events beyond `maxSize`, never the newest. */
export function limitAwaited(all: AllLogs, newest: Log, maxSize: number): void {
  for (const log of all.awaiting) {
    if (all.awaitedSize <= maxSize) return;
    if (log !== newest) deleteAwaited(log);
  }
}

/** Deletes streams that have ended, the first to end first, while `isNeeded` returns true. */
function deleteEnded(ended: ReadonlySet<Log>, inUse: Log | undefined, isNeeded: () => boolean): void {
  for (const log of ended) {
    if (!isNeeded()) return;
    if (log !== inUse) deleteLog(log);
  }
}

/**
 * Makes room if only open streams are left: the longest lose their oldest events. The stream in use never loses its
 * last event, and a stream that is read at another process loses its last only when the others have none left. Makes
 * more room than needed, so that the next events need no search of all streams.
 */
function shortenOpen(session: SessionLogs, inUse: Log): void {
  const target = session.maxSize * 0.875;
  const order = (one: Log, other: Log): number =>
    Number(one.isFollowed) - Number(other.isFollowed) || other.size - one.size;
  const open = [...session.byStream.values()].filter(({ size }) => size > 0).sort(order);
  for (const share of [target / open.length, 0])
    for (const log of open) {
      const excess = session.size - target;
      if (excess <= 0) return;
      const isSpared = log === inUse || (log.isFollowed && share > 0);
      shorten(log, Math.max(share, log.size - excess), sparedOf(log, isSpared ? 1 : 0));
    }
}
