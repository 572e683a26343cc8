/** Session records in Redis: a hash each. */
import type { RecordFields, SessionStore } from '../store/session-store.ts';
import type { ScriptedRedis } from './connection/scripted.ts';
import type { RedisKeys } from './keys.ts';

export function createRedisSessions(redis: ScriptedRedis, keys: RedisKeys, epoch: () => string): SessionStore {
  return {
    get epoch() {
      return epoch();
    },
    async create(key, fields, expires) {
      await redis.run('createRecord', keys.session(key).slice(0, 1), [expires, ...Object.entries(fields).flat()]);
    },
    async read(key) {
      const found = await redis.run('readRecord', keys.session(key).slice(0, 1), []);
      return Array.isArray(found) ? fieldsOf(found as string[]) : undefined;
    },
    async update(key, fields, expires) {
      const entries = Object.entries(fields);
      const deleted = entries.flatMap(([name, value]) => (value === undefined ? [name] : []));
      const written = entries.filter((entry): entry is [string, string] => entry[1] !== undefined);
      const values = [expires ?? '', deleted.length, ...deleted, ...written.flat()];
      return (await redis.run('updateRecord', keys.session(key), values)) === 1;
    },
    async delete(key) {
      return (await redis.run('deleteRecord', keys.session(key), [])) === 1;
    },
    // Redis expires its keys by itself.
    deleteExpired: () => undefined,
  };
}

function fieldsOf(list: readonly string[]): RecordFields {
  const pairs = Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i], list[2 * i + 1]]);
  return Object.fromEntries(pairs) as RecordFields;
}
