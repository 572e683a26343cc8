/** Runs that may happen once, in SQLite. */
import type { OnceLimit, OnceRun, OnceState, OnceStore } from '../store/once/once-store.ts';
import type { Connection } from './connection.ts';
import type { Row } from './database.ts';

export interface SqliteOnceLimits {
  /** How many live keys are remembered. */
  readonly maxKeys: number;
  /** How many of them one owner may have. */
  readonly maxKeysPerOwner: number;
  /** Characters of all stored texts. */
  readonly maxChars: number;
  /** Characters of the stored texts of one owner. */
  readonly maxCharsPerOwner: number;
}

/** How many expired runs each new one deletes: enough to keep up. */
const sweep = 10;

export function createSqliteRuns(
  connection: Connection,
  limits: SqliteOnceLimits,
  now: () => number,
): Pick<OnceStore, 'begin' | 'end' | 'release' | 'renew'> {
  const { maxKeys, maxKeysPerOwner, maxChars, maxCharsPerOwner } = limits;
  const of = 'WHERE owner = ? AND key = ?';
  const live = `SELECT digest, holder, ttl, lease, text FROM run ${of} AND expires > ?`;
  const expired = 'DELETE FROM run WHERE rowid IN (SELECT rowid FROM run WHERE expires <= ? LIMIT ?)';
  const insert = 'INSERT INTO run (owner, key, digest, holder, ttl, lease, expires) VALUES (?, ?, ?, ?, ?, ?, ?)';
  const lend = `UPDATE run SET lease = ?, expires = ? ${of}`;
  const finish = `UPDATE run SET lease = NULL, expires = ?, text = ?, chars = ?, ended = (SELECT coalesce(max(ended), 0) + 1 FROM run WHERE text IS NOT NULL) ${of}`;
  const dropOldest = (which: string): string =>
    `UPDATE run SET text = NULL, chars = NULL WHERE rowid = (SELECT rowid FROM run WHERE ${which}text IS NOT NULL ORDER BY ended LIMIT 1)`;
  const total = 'SELECT keys, chars FROM run_total';
  const owned = 'SELECT keys, chars FROM run_count WHERE owner = ?';

  /** The run, if this holder has begun it. */
  function held(owner: string, key: string, holder: string, moment: number): Row | undefined {
    const row = connection.sql(live).get(owner, key, moment);
    return row?.holder === holder ? row : undefined;
  }

  function refusal(owner: string, moment: number): OnceLimit | undefined {
    connection.sql(expired).run(moment, sweep);
    const limit = reached(owner);
    if (limit === undefined) return undefined;
    // Whatever has expired makes room, before anyone is refused.
    connection.sql(expired).run(moment, -1);
    return reached(owner);
  }

  function reached(owner: string): OnceLimit | undefined {
    if (Number(connection.sql(total).get()?.keys) >= maxKeys) return 'maxKeys';
    if (owner === '') return undefined;
    return Number(connection.sql(owned).get(owner)?.keys ?? 0) >= maxKeysPerOwner ? 'maxKeysPerOwner' : undefined;
  }

  function begin(owner: string, key: string, { digest, holder, leaseMs, ttlMs }: OnceRun): OnceState {
    const moment = now();
    const lease = moment + leaseMs;
    const row = connection.sql(live).get(owner, key, moment);
    if (row === undefined) {
      connection.sql(`DELETE FROM run ${of}`).run(owner, key);
      const limit = refusal(owner, moment);
      if (limit !== undefined) return { state: 'full', limit };
      connection.sql(insert).run(owner, key, digest, holder, ttlMs, lease, lease + ttlMs);
      return { state: 'begun' };
    }
    if (row.digest !== digest) return { state: 'other' };
    if (row.lease === null) return { state: 'ended', text: row.text === null ? undefined : String(row.text) };
    if (row.holder === holder) {
      connection.sql(lend).run(lease, lease + Number(row.ttl), owner, key);
      return { state: 'begun' };
    }
    const leaseLeft = Number(row.lease) - moment;
    return leaseLeft > 0 ? { state: 'running', leaseMs: leaseLeft } : { state: 'unknown' };
  }

  function end(owner: string, key: string, holder: string, given: string | undefined): boolean {
    const moment = now();
    const row = held(owner, key, holder, moment);
    if (row === undefined) return false;
    if (row.lease === null) return true;
    const most = owner === '' ? maxChars : Math.min(maxChars, maxCharsPerOwner);
    const text = given === undefined || given.length > most ? null : given;
    connection.sql(finish).run(moment + Number(row.ttl), text, text?.length ?? null, owner, key);
    if (text !== null) makeRoom(owner);
    return true;
  }

  function makeRoom(owner: string): void {
    if (owner !== '')
      while (Number(connection.sql(owned).get(owner)?.chars) > maxCharsPerOwner)
        connection.sql(dropOldest('owner = ? AND ')).run(owner);
    while (Number(connection.sql(total).get()?.chars) > maxChars) connection.sql(dropOldest('')).run();
  }

  return {
    begin: (owner, key, run) => connection.write(() => begin(owner, key, run)),
    end: (owner, key, holder, text) => connection.write(() => end(owner, key, holder, text)),
    release(owner, key, holder) {
      return connection.write(() => {
        const row = held(owner, key, holder, now());
        if (row === undefined || row.lease === null) return false;
        connection.sql(`DELETE FROM run ${of}`).run(owner, key);
        return true;
      });
    },
    renew(owner, key, holder, leaseMs) {
      return connection.write(() => {
        const moment = now();
        const row = held(owner, key, holder, moment);
        if (row === undefined || row.lease === null) return false;
        const lease = moment + leaseMs;
        connection.sql(lend).run(lease, lease + Number(row.ttl), owner, key);
        return true;
      });
    },
  };
}
