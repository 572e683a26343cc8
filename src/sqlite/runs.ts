/** Runs that may happen once, in SQLite. */

import type { MaybePromise } from '../lib/values/maybe-promise.ts';
import { type Codec, resultPath } from '../store/codec.ts';
import type { OnceLimit, OnceRun, OnceState, OnceStore } from '../store/once/once-store.ts';
import type { Connection } from './connection.ts';
import type { SqlValue } from './database.ts';

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

const of = 'WHERE owner = ? AND key = ?';
const live = `SELECT digest, holder, ttl, lease, text FROM run ${of} AND expires > ?`;
const expired = 'DELETE FROM run WHERE rowid IN (SELECT rowid FROM run WHERE expires <= ? LIMIT ?)';
const insert = 'INSERT INTO run (owner, key, digest, holder, ttl, lease, expires) VALUES (?, ?, ?, ?, ?, ?, ?)';
const lend = `UPDATE run SET lease = ?, expires = ? ${of}`;
const remove = `DELETE FROM run ${of}`;
const nextEnd = '(SELECT coalesce(max(ended), 0) + 1 FROM run WHERE text IS NOT NULL)';
const finish = `UPDATE run SET lease = NULL, expires = ?, text = ?, chars = ?, ended = ${nextEnd} ${of}`;
const dropOldest = (which: string): string =>
  `UPDATE run SET text = NULL, chars = NULL WHERE rowid = (SELECT rowid FROM run WHERE ${which}text IS NOT NULL ORDER BY ended LIMIT 1)`;
const dropOldestOwned = dropOldest('owner = ? AND ');
const dropOldestOfAll = dropOldest('');
const total = 'SELECT keys, chars FROM run_total';
const owned = 'SELECT keys, chars FROM run_count WHERE owner = ?';

/** A run that has not ended, of this holder. */
interface HeldRun {
  readonly ttl: number;
}

export class SqliteRuns implements Pick<OnceStore, 'begin' | 'end' | 'release' | 'renew'> {
  readonly #connection: Connection;
  readonly #limits: SqliteOnceLimits;
  readonly #now: () => number;
  readonly #codec: Codec;

  constructor(connection: Connection, limits: SqliteOnceLimits, now: () => number, codec: Codec) {
    this.#connection = connection;
    this.#limits = limits;
    this.#now = now;
    this.#codec = codec;
  }

  begin(owner: string, key: string, run: OnceRun): MaybePromise<OnceState> {
    return this.#connection.write(() => this.#begin(owner, key, run));
  }

  end(owner: string, key: string, holder: string, text: string | undefined): MaybePromise<boolean> {
    return this.#connection.write(() => this.#end(owner, key, holder, text));
  }

  release(owner: string, key: string, holder: string): MaybePromise<boolean> {
    return this.#connection.write(() => {
      const run = this.#held(owner, key, holder, this.#now());
      if (run === undefined || run === 'ended') return false;
      this.#connection.sql(remove).run(owner, key);
      return true;
    });
  }

  renew(owner: string, key: string, holder: string, leaseMs: number): MaybePromise<boolean> {
    return this.#connection.write(() => {
      const moment = this.#now();
      const run = this.#held(owner, key, holder, moment);
      if (run === undefined || run === 'ended') return false;
      this.#lend(owner, key, moment + leaseMs, run.ttl);
      return true;
    });
  }

  #begin(owner: string, key: string, { digest, holder, leaseMs, ttlMs }: OnceRun): OnceState {
    const moment = this.#now();
    const lease = moment + leaseMs;
    const row = this.#connection.sql(live).get(owner, key, moment);
    if (row === undefined) {
      this.#connection.sql(remove).run(owner, key);
      const limit = this.#refusal(owner, moment);
      if (limit !== undefined) return { state: 'full', limit };
      this.#connection.sql(insert).run(owner, key, digest, holder, ttlMs, lease, lease + ttlMs);
      return { state: 'begun' };
    }
    if (row.digest !== digest) return { state: 'other' };
    if (row.lease === null) return { state: 'ended', text: this.#opened(owner, key, row.text) };
    if (row.holder === holder) {
      this.#lend(owner, key, lease, Number(row.ttl));
      return { state: 'begun' };
    }
    const leaseLeft = Number(row.lease) - moment;
    return leaseLeft > 0 ? { state: 'running', leaseMs: leaseLeft } : { state: 'unknown' };
  }

  #end(owner: string, key: string, holder: string, given: string | undefined): boolean {
    const moment = this.#now();
    const run = this.#held(owner, key, holder, moment);
    if (run === undefined || run === 'ended') return run === 'ended';
    const { maxChars, maxCharsPerOwner } = this.#limits;
    const most = owner === '' ? maxChars : Math.min(maxChars, maxCharsPerOwner);
    const text = given === undefined || given.length > most ? null : given;
    // Limits are those of the text, however it is stored.
    const stored = text === null ? null : this.#codec.seal(resultPath(owner, key), text);
    this.#connection.sql(finish).run(moment + run.ttl, stored, text?.length ?? null, owner, key);
    if (text !== null) this.#makeRoom(owner);
    return true;
  }

  #opened(owner: string, key: string, text: SqlValue | undefined): string | undefined {
    return typeof text === 'string' ? this.#codec.open(resultPath(owner, key), text) : undefined;
  }

  #held(owner: string, key: string, holder: string, moment: number): HeldRun | 'ended' | undefined {
    const row = this.#connection.sql(live).get(owner, key, moment);
    if (row?.holder !== holder) return undefined;
    return row.lease === null ? 'ended' : { ttl: Number(row.ttl) };
  }

  #lend(owner: string, key: string, lease: number, ttl: number): void {
    this.#connection.sql(lend).run(lease, lease + ttl, owner, key);
  }

  #refusal(owner: string, moment: number): OnceLimit | undefined {
    this.#connection.sql(expired).run(moment, sweep);
    if (this.#reached(owner) === undefined) return undefined;
    // What has expired makes room before a key is refused.
    this.#connection.sql(expired).run(moment, -1);
    return this.#reached(owner);
  }

  #reached(owner: string): OnceLimit | undefined {
    const { maxKeys, maxKeysPerOwner } = this.#limits;
    if (Number(this.#connection.sql(total).get()?.keys) >= maxKeys) return 'maxKeys';
    if (owner === '') return undefined;
    const keys = Number(this.#connection.sql(owned).get(owner)?.keys ?? 0);
    return keys >= maxKeysPerOwner ? 'maxKeysPerOwner' : undefined;
  }

  #makeRoom(owner: string): void {
    const { maxChars, maxCharsPerOwner } = this.#limits;
    const ownChars = (): number => Number(this.#connection.sql(owned).get(owner)?.chars);
    const allChars = (): number => Number(this.#connection.sql(total).get()?.chars);
    if (owner !== '') while (ownChars() > maxCharsPerOwner) this.#connection.sql(dropOldestOwned).run(owner);
    while (allChars() > maxChars) this.#connection.sql(dropOldestOfAll).run();
  }
}
