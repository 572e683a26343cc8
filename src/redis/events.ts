/** Event logs in Redis: three hashes for each session. Redis itself limits what all sessions store together. */
import { type EventLogLimits, type EventStore, eventOverhead, type StoredEvent } from '../store/events/event-store.ts';
import type { RedisKeys } from './keys.ts';
import type { ScriptedRedis } from './scripted.ts';

/** How long logs of a session without a record are stored. */
const withoutRecordMs = 3_600_000;

export function createRedisEvents(redis: ScriptedRedis, keys: RedisKeys): EventStore {
  return {
    async append(session, stream, data, limits, note) {
      const values = [stream, ...valuesOf(limits), data, data.length + eventOverhead, note ?? ''];
      return numberOf(await redis.run('appendEvent', keys.session(session), values));
    },
    async readAfter(session, stream, n) {
      const found = await redis.run('readEvents', keys.session(session), [stream, n]);
      if (!Array.isArray(found)) return undefined;
      const [from, ended, note, ...rest] = found as (number | string)[];
      return { from: Number(from), events: eventsOf(rest), ended: ended === 1, note: String(note) || undefined };
    },
    async end(session, stream, last) {
      const events = last?.events.flatMap((data) => [data, data.length + eventOverhead]) ?? [];
      const values = [stream, ...valuesOf(last?.limits), ...events];
      return numberOf(await redis.run('endStream', keys.session(session), values));
    },
    async deleteSession(session) {
      await redis.run('deleteLogs', keys.session(session), []);
    },
  };
}

/** The limits as scripts take them. */
function valuesOf(limits: EventLogLimits | undefined): (number | string)[] {
  const { maxStreamChars = 0, maxSessionChars = 0, maxTotalStoredChars = 0, maxStreams = 0, isAwaited } = limits ?? {};
  const maxSize = Math.min(maxSessionChars, maxTotalStoredChars);
  return [maxStreamChars, maxSize, maxStreams, isAwaited === true ? 1 : 0, Date.now() + withoutRecordMs];
}

const numberOf = (answer: unknown): number | undefined => (answer === null ? undefined : Number(answer));

const eventsOf = (list: readonly (number | string)[]): StoredEvent[] =>
  Array.from({ length: list.length / 2 }, (_, i) => ({ n: Number(list[2 * i]), data: String(list[2 * i + 1]) }));
