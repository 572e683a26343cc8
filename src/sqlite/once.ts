/** What may happen once, in SQLite: used keys here, runs in `runs.ts`. */

import { TenonError } from '../lib/errors/tenon-error.ts';
import type { Codec } from '../store/codec.ts';
import type { OnceStore } from '../store/once/once-store.ts';
import type { Connection } from './connection.ts';
import { type SqliteOnceLimits, SqliteRuns } from './runs.ts';

/** How many expired keys one use deletes: enough to keep up. */
const sweep = 10;

export function createSqliteOnce(
  connection: Connection,
  limits: SqliteOnceLimits,
  now: () => number,
  codec: Codec,
): OnceStore {
  const { maxKeys, maxKeysPerOwner } = limits;
  const expired = 'DELETE FROM used_key WHERE key IN (SELECT key FROM used_key WHERE expires <= ? LIMIT ?)';
  const insert =
    'INSERT INTO used_key VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, expires = excluded.expires WHERE expires <= ? RETURNING 1';
  const owned = 'SELECT count(*) AS keys FROM used_key WHERE owner = ? AND expires > ?';

  function burn(key: string, expiresAt: number, owner: string): boolean {
    const moment = now();
    connection.sql(expired).run(moment, sweep);
    const live = connection.sql('SELECT 1 FROM used_key WHERE key = ? AND expires > ?').get(key, moment);
    if (live !== undefined) return false;
    if (expiresAt <= moment) return true;
    if (countOf('SELECT count(*) AS keys FROM used_key') >= maxKeys)
      throw full(`the store has ${maxKeys} live keys`, 'maxKeys');
    if (owner !== '' && countOf(owned, owner, moment) >= maxKeysPerOwner)
      throw full(`one owner has ${maxKeysPerOwner} live keys`, 'maxKeysPerOwner');
    return connection.sql(insert).get(key, owner, expiresAt, moment) !== undefined;
  }

  const countOf = (select: string, ...values: readonly (string | number)[]): number =>
    Number(connection.sql(select).get(...values)?.keys);

  const runs = new SqliteRuns(connection, limits, now, codec);
  return {
    burn: (key, expiresAt, owner = '') => connection.write(() => burn(key, expiresAt, owner)),
    begin: (...given) => runs.begin(...given),
    end: (...given) => runs.end(...given),
    release: (...given) => runs.release(...given),
    renew: (...given) => runs.renew(...given),
  };
}

const full = (why: string, option: string): TenonError =>
  new TenonError('store-failed', `A key that may be used once could not be stored: ${why}.`, {
    hint: `Try again when some have expired, or raise ${option} of openSqliteStore().`,
    details: { limit: option },
  });
