/** The rows of the SQLite engine, with what they have in groups and queues. Every method runs inside a transaction. */
import type { DueEntry, GroupMember, PutOp, Row, When } from '../../store/driver.ts';
import type { Connection } from '../connection.ts';
import type { Row as SqlRow, Statement } from '../database.ts';
import { changedBy, insertedBy, optional } from './values.ts';

/** What is known of a row before it is written. */
export interface FoundRow {
  readonly number: number;
  readonly version: string;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly chars: number;
  readonly hasData: boolean;
}

/** Where a group is, and its name. */
interface Place {
  readonly home: string;
  readonly name: string;
}

const columns = 'key, version, number, createdAt, updatedAt, expiresAt, takenQueue, takenCount, takenAt, fields, data';
const living = '(expiresAt IS NULL OR expiresAt > ?)';
const inGroup = 'home = ? AND name = ?';

const find =
  'SELECT number, version, createdAt, expiresAt, chars, data IS NOT NULL AS hasData FROM item WHERE partition = ? AND key = ?';
const read = `SELECT ${columns} FROM item WHERE partition = ? AND key = ? AND ${living}`;
const readAlias = `SELECT ${columns} FROM item WHERE partition = ? AND alias = ? AND ${living} ORDER BY number DESC LIMIT 1`;
const insert =
  'INSERT INTO item (partition, key, version, createdAt, updatedAt, expiresAt, alias, chars, fields, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
// A member that is null deletes the field (RFC 7396): fields are texts.
const update =
  "UPDATE item SET version = ?, updatedAt = ?, expiresAt = coalesce(?, expiresAt), takenQueue = NULL, takenCount = NULL, takenAt = NULL, fields = CASE WHEN ?4 IS NULL THEN fields ELSE json_patch(coalesce(fields, '{}'), ?4) END, chars = ?, data = coalesce(?, data) WHERE number = ?";
const expire = 'DELETE FROM item WHERE number IN (SELECT number FROM item WHERE expiresAt <= ? LIMIT ?)';
const list = `SELECT ${columns} FROM item JOIN (SELECT number FROM member WHERE ${inGroup} AND number > ?) USING (number) WHERE ${living} ORDER BY number LIMIT ?`;

const counts = `SELECT rows, chars FROM member_count WHERE ${inGroup}`;
const oldestText = `SELECT number FROM member WHERE ${inGroup} AND text IS NOT NULL AND number <> ? ORDER BY text LIMIT 1`;
const deleteOldest = `DELETE FROM item WHERE number IN (SELECT number FROM member WHERE ${inGroup} AND number <> ? ORDER BY number LIMIT ?)`;
/** The order in which the texts of a group were put. */
const nextText = (home: string, name: string): string =>
  `(SELECT coalesce(max(text), 0) + 1 FROM member AS other WHERE other.home = ${home} AND other.name = ${name} AND text IS NOT NULL)`;
const changeText = `UPDATE member SET chars = ?, text = ${nextText('member.home', 'member.name')} WHERE number = ?`;
const groupsOf = 'SELECT home, name FROM member WHERE number = ?';
const leave = `DELETE FROM member WHERE ${inGroup} AND number = ?`;
const join = `INSERT INTO member (home, name, number, chars, text) VALUES (?1, ?2, ?3, ?4, CASE WHEN ?5 THEN ${nextText('?1', '?2')} END) ON CONFLICT DO NOTHING`;

const leaveQueue = 'DELETE FROM due WHERE number = ? AND queue = ?';
const queue =
  "INSERT INTO due (number, queue, partition, lane, at) VALUES (?1, ?2, ?3, coalesce(?4, (SELECT lane FROM due WHERE number = ?1 AND queue = ?2), ''), ?5) ON CONFLICT DO UPDATE SET lane = excluded.lane, at = excluded.at";

/** Each so many new rows that expire, twice as many that have expired are deleted: their number stays small. */
const sweepEvery = 64;

export class SqliteRows {
  readonly #connection: Connection;
  #created = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Deletes the row if it has expired. */
  find(partition: string, key: string, now: number): FoundRow | undefined {
    const row = this.#sql(find).get(partition, key);
    if (row === undefined) return undefined;
    const [number, expiresAt] = [Number(row.number), optional(row.expiresAt)];
    if (expiresAt !== undefined && expiresAt <= now) return void this.delete(number);
    const [createdAt, chars] = [Number(row.createdAt), Number(row.chars)];
    return { number, version: row.version as string, createdAt, expiresAt, chars, hasData: row.hasData === 1 };
  }

  read(partition: string, key: string, now: number): Row | undefined {
    const row = this.#sql(read).get(partition, key, now);
    return row && shownRow(row);
  }

  readAlias(partition: string, alias: string, now: number): Row | undefined {
    const row = this.#sql(readAlias).get(partition, alias, now);
    return row && shownRow(row);
  }

  list(partition: string, group: string, after: number, max: number, now: number): readonly Row[] {
    return this.#sql(list).all(homeOf(partition, {}), group, after, now, max).map(shownRow);
  }

  /** The group that refuses a row. */
  refusing(partition: string, found: FoundRow | undefined, op: PutOp, now: number): GroupMember | undefined {
    return op.groups?.find((member) => {
      const { name, max, beyond } = member;
      if (max === undefined || beyond === 'delete-oldest') return false;
      const home = homeOf(partition, member);
      if (!this.#isBeyond(home, name, 'rows', max - 1, now)) return false;
      const isMember = `SELECT 1 FROM member WHERE ${inGroup} AND number = ?`;
      return found === undefined || this.#sql(isMember).get(home, name, found.number) === undefined;
    });
  }

  /** The name of a group that has too many characters for a row. */
  exceeding(partition: string, { below }: PutOp, now: number): string | undefined {
    const home = homeOf(partition, {});
    return below?.find(({ group, chars }) => this.#isBeyond(home, group, 'chars', chars - 1, now))?.group;
  }

  put(partition: string, found: FoundRow | undefined, op: PutOp, now: number): Row {
    const expiresAt = op.expiresInMs === undefined ? undefined : now + op.expiresInMs;
    const chars = op.data === undefined ? (found?.chars ?? 0) : (op.chars ?? op.data.length);
    const number = found?.number ?? this.#create(partition, op, chars, expiresAt, now);
    if (found !== undefined) this.#change(number, op, chars, expiresAt, now);
    this.#setGroups(partition, number, found, op, chars);
    for (const member of op.groups ?? []) this.#limit(homeOf(partition, member), member, number, now);
    if (op.due !== undefined) this.#queue(partition, number, op.due, now);
    return {
      key: op.key,
      version: op.version,
      fields: {},
      number,
      createdAt: found?.createdAt ?? now,
      updatedAt: now,
      expiresAt: expiresAt ?? found?.expiresAt,
    };
  }

  delete(number: number): void {
    this.#sql('DELETE FROM item WHERE number = ?').run(number);
  }

  /** Deletes rows that have expired, all of them if `max` is -1; returns how many. */
  expire(now: number, max: number): number {
    return changedBy(this.#sql(expire).run(now, max));
  }

  #create(partition: string, op: PutOp, chars: number, expiresAt: number | undefined, now: number): number {
    const { key, version, alias, fields, data } = op;
    if (expiresAt !== undefined && ++this.#created % sweepEvery === 0) this.expire(now, sweepEvery * 2);
    const texts = fields && Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
    const stored = texts === undefined ? null : JSON.stringify(texts);
    const values = [partition, key, version, now, now, expiresAt ?? null, alias ?? null, chars, stored, data ?? null];
    return insertedBy(this.#sql(insert).run(...values));
  }

  #change(number: number, op: PutOp, chars: number, expiresAt: number | undefined, now: number): void {
    const { version, fields, data } = op;
    const patch = fields === undefined ? null : JSON.stringify(fields);
    this.#sql(update).run(version, now, expiresAt ?? null, patch, chars, data ?? null, number);
  }

  #setGroups(partition: string, number: number, found: FoundRow | undefined, op: PutOp, chars: number): void {
    const { groups, data } = op;
    const before = found !== undefined && groups !== undefined ? this.#groupsOf(number) : [];
    const after = groups?.map((member): Place => ({ home: homeOf(partition, member), name: member.name })) ?? [];
    for (const place of before) if (!isIn(after, place)) this.#sql(leave).run(place.home, place.name, number);
    if (found !== undefined && data !== undefined) this.#sql(changeText).run(chars, number);
    const hasData = Number(data !== undefined || found?.hasData === true);
    for (const place of after)
      if (!isIn(before, place)) this.#sql(join).run(place.home, place.name, number, chars, hasData);
  }

  #groupsOf(number: number): readonly Place[] {
    return this.#sql(groupsOf)
      .all(number)
      .map(({ home, name }) => ({ home: home as string, name: name as string }));
  }

  /** Makes room in a group for a row that has joined it. */
  #limit(home: string, { name, max, maxChars, beyond }: GroupMember, newest: number, now: number): void {
    if (beyond === 'delete-oldest' && max !== undefined && this.#isBeyond(home, name, 'rows', max, now))
      this.#sql(deleteOldest).run(home, name, newest, this.#count(home, name, 'rows') - max);
    if (maxChars !== undefined && this.#isBeyond(home, name, 'chars', maxChars, now))
      this.#dropTexts(home, name, newest, maxChars);
  }

  #dropTexts(home: string, name: string, newest: number, maxChars: number): void {
    do {
      const oldest = this.#sql(oldestText).get(home, name, newest);
      if (oldest === undefined) return;
      this.#sql('UPDATE item SET data = NULL, chars = 0 WHERE number = ?').run(Number(oldest.number));
      this.#sql('UPDATE member SET chars = 0, text = NULL WHERE number = ?').run(Number(oldest.number));
    } while (this.#count(home, name, 'chars') > maxChars);
  }

  #queue(partition: string, number: number, entries: readonly DueEntry[], now: number): void {
    for (const { queue: name, inMs, lane } of entries)
      if (inMs === undefined) this.#sql(leaveQueue).run(number, name);
      else this.#sql(queue).run(number, name, partition, lane ?? null, now + inMs);
  }

  /** Whether a group has more than a limit. What has expired makes room first. */
  #isBeyond(home: string, name: string, what: 'rows' | 'chars', limit: number, now: number): boolean {
    if (this.#count(home, name, what) <= limit) return false;
    return this.expire(now, -1) === 0 || this.#count(home, name, what) > limit;
  }

  #count(home: string, name: string, what: 'rows' | 'chars'): number {
    return Number(this.#sql(counts).get(home, name)?.[what] ?? 0);
  }

  #sql(text: string): Statement {
    return this.#connection.sql(text);
  }
}

/** Whether a condition holds for the row that was found. */
export function holds(when: When | undefined, row: FoundRow | undefined): boolean {
  if (when === undefined) return true;
  if (when === 'absent') return row === undefined;
  if (when === 'present') return row !== undefined;
  return 'version' in when ? row?.version === when.version : row === undefined || row.version === when.absentOr;
}

const isIn = (places: readonly Place[], { home, name }: Place): boolean =>
  places.some((other) => other.home === home && other.name === name);

const homeOf = (partition: string, { scope }: Pick<GroupMember, 'scope'>): string =>
  scope === 'store' ? 'store' : `partition ${partition}`;

export const shownRow = (row: SqlRow): Row => ({
  key: row.key as string,
  version: row.version as string,
  data: row.data === null ? undefined : (row.data as string),
  fields: row.fields === null ? {} : (JSON.parse(row.fields as string) as Record<string, string>),
  number: Number(row.number),
  createdAt: Number(row.createdAt),
  updatedAt: Number(row.updatedAt),
  expiresAt: optional(row.expiresAt),
  taken:
    row.takenQueue === null
      ? undefined
      : { queue: row.takenQueue as string, count: Number(row.takenCount), at: Number(row.takenAt) },
});
