/** Event logs in Redis: three hashes for each session. Redis itself limits what all sessions store together. */
import { type EventStore, eventOverhead, type StoredEvent } from '../store/events/event-store.ts';
import type { RedisKeys } from './keys.ts';
import type { ScriptedRedis } from './scripted.ts';

/** How long logs of a session without a record are stored. */
const withoutRecordMs = 3_600_000;

export function createRedisEvents(redis: ScriptedRedis, keys: RedisKeys): EventStore {
  return {
    async append(
      session,
      stream,
      data,
      { maxStreamChars, maxSessionChars, maxTotalStoredChars, maxStreams, isAwaited },
    ) {
      const maxSize = Math.min(maxSessionChars, maxTotalStoredChars);
      const followed = isAwaited === true ? 1 : 0;
      const until = Date.now() + withoutRecordMs;
      const values = [stream, data, data.length + eventOverhead, maxStreamChars, maxSize, maxStreams, followed, until];
      return Number(await redis.run('appendEvent', keys.session(session), values));
    },
    async readAfter(session, stream, n) {
      const found = await redis.run('readEvents', keys.session(session), [stream, n]);
      if (!Array.isArray(found)) return undefined;
      const [from, ended, ...rest] = found as (number | string)[];
      return { from: Number(from), events: eventsOf(rest), ended: ended === 1 };
    },
    async end(session, stream) {
      await redis.run('endStream', keys.session(session), [stream]);
    },
    async deleteSession(session) {
      await redis.run('deleteLogs', keys.session(session), []);
    },
  };
}

const eventsOf = (list: readonly (number | string)[]): StoredEvent[] =>
  Array.from({ length: list.length / 2 }, (_, i) => ({ n: Number(list[2 * i]), data: String(list[2 * i + 1]) }));
