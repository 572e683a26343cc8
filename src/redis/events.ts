/** Event logs in Redis: three hashes for each session. Redis itself limits what all sessions store together. */
import { type Codec, eventPath, notePath } from '../store/codec.ts';
import { type EventLogLimits, type EventStore, eventOverhead, type StoredEvent } from '../store/events/event-store.ts';
import type { ScriptedRedis } from './connection/scripted.ts';
import type { RedisKeys } from './keys.ts';

/** How long logs of a session without a record are stored. */
const withoutRecordMs = 3_600_000;

export function createRedisEvents(redis: ScriptedRedis, keys: RedisKeys, codec: Codec): EventStore {
  /** The event and its size: limits are those of the text, however it is stored. */
  const stored = (session: string, stream: string, data: string): [string, number] => [
    codec.seal(eventPath(session, stream), data),
    data.length + eventOverhead,
  ];
  return {
    async append(session, stream, data, limits, note, at) {
      const event = stored(session, stream, data);
      const sealed = note === undefined ? '' : codec.seal(notePath(session, stream), note);
      const values = [stream, ...valuesOf(limits), ...event, sealed, limits.change ?? '', at ?? ''];
      return numberOf(await redis.run('appendEvent', keys.session(session), values));
    },
    async readAfter(session, stream, n) {
      const found = await redis.run('readEvents', keys.session(session), [stream, n]);
      if (!Array.isArray(found)) return undefined;
      const [from, ended, note, change, ...rest] = found as (number | string)[];
      const path = eventPath(session, stream);
      return {
        from: Number(from),
        events: eventsOf(rest).map((event) => ({ n: event.n, data: codec.open(path, event.data) })),
        ended: ended === 1,
        note: note === '' ? undefined : codec.open(notePath(session, stream), String(note)),
        change: change === '' ? undefined : Number(change),
      };
    },
    async end(session, stream, last, at) {
      const events = last?.events.flatMap((data) => stored(session, stream, data)) ?? [];
      const values = [stream, ...valuesOf(last?.limits), at ?? '', ...events];
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
