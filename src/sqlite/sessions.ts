/** Session records in SQLite: one row each, its fields as JSON. */
import { runInBackground } from '../lib/values/maybe-promise.ts';
import type { RecordFields, SessionStore } from '../store/session-store.ts';
import type { Connection } from './connection.ts';
import type { SqliteEvents } from './events/events.ts';

export interface SqliteSessionsOptions {
  readonly now: () => number;
  /** The epoch as it was last read. */
  readonly epoch: () => string;
  readonly onError: (cause: unknown) => void;
}

export function createSqliteSessions(
  connection: Connection,
  events: SqliteEvents,
  { now, epoch, onError }: SqliteSessionsOptions,
): SessionStore {
  const insert = 'INSERT OR REPLACE INTO session VALUES (?, ?, ?)';
  const select = 'SELECT fields FROM session WHERE key = ? AND expires > ?';
  // A member that is null deletes the field (RFC 7396): fields are texts.
  const patch =
    'UPDATE session SET fields = json_patch(fields, ?), expires = coalesce(?, expires) WHERE key = ? AND expires > ? RETURNING 1';
  const remove = 'DELETE FROM session WHERE key = ? RETURNING 1';

  function deleteRecord(key: string): boolean {
    events.deleteLogs(key);
    return connection.sql(remove).get(key) !== undefined;
  }

  return {
    get epoch() {
      return epoch();
    },
    create(key, fields, expires) {
      const text = JSON.stringify(fields);
      return connection.write(() => void connection.sql(insert).run(key, text, expires));
    },
    read(key) {
      return connection.read(() => {
        const row = connection.sql(select).get(key, now());
        return row === undefined ? undefined : (JSON.parse(row.fields as string) as RecordFields);
      });
    },
    update(key, fields, expires) {
      const changes = Object.entries(fields).map(([name, value]) => [name, value ?? null]);
      const text = JSON.stringify(Object.fromEntries(changes));
      return connection.write(() => connection.sql(patch).get(text, expires ?? null, key, now()) !== undefined);
    },
    delete: (key) => connection.write(() => deleteRecord(key)),
    deleteExpired() {
      const moment = now();
      const expired = 'SELECT key FROM session WHERE expires <= ? LIMIT 1000';
      const sweep = (): void => {
        for (const { key } of connection.sql(expired).all(moment)) deleteRecord(key as string);
        events.deleteUnread(moment);
      };
      runInBackground(() => connection.write(sweep), onError);
    },
  };
}
