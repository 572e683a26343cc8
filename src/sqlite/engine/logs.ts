/** The logs of the SQLite engine. Every method runs inside a transaction; triggers count what the logs of a row and of all shares have. */
import {
  type AppendOp,
  type Log,
  type LogShare,
  looseLogMs,
  type NewEntry,
  type TrimStep,
} from '../../store/driver.ts';
import type { Connection } from '../connection.ts';
import type { Row as SqlRow, Statement } from '../database.ts';
import { insertedBy, optional } from './values.ts';

/** What is known of a log; without an id there is none, and only the sizes of its row and of the store are known. */
export interface FoundLog {
  readonly id: number | undefined;
  /** Whether the row has logs that do not exist any more. */
  readonly isStale: boolean;
  /** Whether it counts in the size of the store. */
  readonly hasShare: boolean;
  readonly log: Log;
}

/** What each log counts in the size of the store, so that logs without stored entries are limited as well. */
export const logOverhead = 512;

const columns =
  'l.id, l.name, l.count, l.stored, l.last, l.chars, l.ended, l.mark, l.isFollowed, l.given, l.note, l.share, r.chars AS rowChars, r.logs AS rowLogs, s.logChars AS storeChars';
/** Whether logs exist: those of a row that has expired do not, nor those without a row after a while. */
const exist = `CASE WHEN i.number IS NULL THEN r.writtenAt > ?3 - ${looseLogMs} ELSE i.expiresAt IS NULL OR i.expiresAt > ?3 END`;
const ofRow = 'LEFT JOIN item AS i ON i.partition = ?1 AND i.key = ?2';
const find = `SELECT ${columns}, ${exist} AS isThere FROM store AS s ${ofRow} LEFT JOIN item_logs AS r ON r.partition = ?1 AND r.row = ?2 LEFT JOIN item_log AS l ON l.partition = r.partition AND l.row = r.row AND l.name = ?4 AND ${exist}`;
const findAll = `SELECT ${columns} FROM store AS s ${ofRow} JOIN item_logs AS r ON r.partition = ?1 AND r.row = ?2 AND ${exist} JOIN item_log AS l ON l.partition = r.partition AND l.row = r.row ORDER BY l.id`;
const findOfRows = `SELECT i.number, ${columns} FROM store AS s CROSS JOIN json_each(?1) AS j CROSS JOIN item AS i ON i.number = j.value JOIN item_log AS l ON l.partition = i.partition AND l.row = i.key AND l.name = ?2 JOIN item_logs AS r ON r.partition = i.partition AND r.row = i.key`;
const entriesOf =
  'SELECT e.log, e.n, e.data FROM json_each(?) AS j CROSS JOIN entry AS e ON e.log = j.value ORDER BY e.log, e.n';
const nextOpened = '(SELECT coalesce(max(opened), 0) + 1 FROM item_log WHERE opened IS NOT NULL)';
const opening = `CASE ? WHEN 'same' THEN opened WHEN 'new' THEN ${nextOpened} END`;
const nextEnded = 'SELECT coalesce(max(ended), 0) + 1 AS ended FROM item_log WHERE ended > 0';
const firstEnded =
  'SELECT id, chars, share FROM item_log WHERE partition = ? AND row = ? AND ended > 0 AND id <> ? ORDER BY ended LIMIT 1';
const insert = `INSERT INTO item_log (count, stored, last, chars, ended, mark, isFollowed, writtenAt, opened, partition, row, name, note, share, given) VALUES (?, ?, ?, ?, ?, ?, ?, ?, CASE ? WHEN 'new' THEN ${nextOpened} END, ?, ?, ?, ?, ?, 0)`;
const update = `UPDATE item_log SET count = ?, stored = ?, last = ?, chars = ?, ended = ?, mark = coalesce(?, mark), isFollowed = ?, writtenAt = ?, opened = ${opening} WHERE id = ?`;
const sharesOf = `SELECT share, sum(chars + ${logOverhead}) AS chars FROM item_log WHERE share IS NOT NULL GROUP BY share`;
const sizeOfShare = `SELECT sum(chars + ${logOverhead}) AS chars FROM item_log WHERE share = ?`;
const endedOfShare = 'SELECT id, chars FROM item_log WHERE share = ? AND ended > 0 AND id <> ? ORDER BY ended LIMIT 1';
const openOfShare =
  'SELECT id, opened, stored, last, chars FROM item_log WHERE share = ? AND ended = 0 AND opened > ? ORDER BY opened LIMIT 1';
const shorten = `UPDATE item_log SET stored = ?, last = ?, chars = ?, opened = ${opening} WHERE id = ?`;
const deleteLoose =
  'DELETE FROM item_log WHERE (partition, row) IN (SELECT partition, row FROM item_logs WHERE isLoose = 1 AND writtenAt <= ? LIMIT ?)';

export class SqliteLogs {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  find(partition: string, row: string, name: string, now: number): FoundLog {
    const found = this.#sql(find).get(partition, row, now, name) as SqlRow;
    const isStale = found.rowLogs !== null && found.isThere === 0;
    const log = shownLog(isStale ? { ...found, rowChars: 0, rowLogs: 0 } : found);
    return { id: optional(found.id), isStale, hasShare: typeof found.share === 'string', log };
  }

  append(partition: string, op: AppendOp, found: FoundLog, now: number): Log {
    const { sizes, added, isCleared } = grown(found.log, op.entries);
    const ended = op.end === true ? Number(this.#sql(nextEnded).get()?.ended) : found.log.ended;
    const isOpened = added.length > 0 && added.length === sizes.stored;
    const opened = ended > 0 ? 'none' : isOpened ? 'new' : 'same';
    const isFollowed = op.isFollowed ?? found.log.isFollowed;
    const { count, stored, last, chars } = sizes;
    const values = [count, stored, last, chars, ended, op.mark ?? null, Number(isFollowed), now, opened] as const;
    const [note, share] = [op.note ?? null, op.share ?? null];
    const id = found.id ?? insertedBy(this.#sql(insert).run(...values, partition, op.row, op.log, note, share));
    if (found.id !== undefined) this.#sql(update).run(...values, id);
    if (isCleared) this.#sql('DELETE FROM entry WHERE log = ?').run(id);
    for (const { n, data, chars: size } of added)
      this.#sql('INSERT INTO entry (log, n, chars, data) VALUES (?, ?, ?, ?)').run(id, n, size, data);
    const isNew = found.id === undefined;
    const by = chars - found.log.chars;
    const isCounted = isNew ? share !== null : found.hasShare;
    const log: Log = {
      ...found.log,
      ...sizes,
      name: op.log,
      ended,
      isFollowed,
      mark: op.mark ?? found.log.mark,
      note: isNew ? op.note : found.log.note,
      rowChars: found.log.rowChars + by,
      rowLogs: found.log.rowLogs + Number(isNew),
      storeChars: found.isStale
        ? this.#storeChars()
        : (found.log.storeChars ?? 0) + (isCounted ? by + (isNew ? logOverhead : 0) : 0),
    };
    return op.room === undefined ? log : this.#makeRoom(partition, op.row, id, log, op.room);
  }

  /** The log with its entries after a number. */
  entries({ id, log }: FoundLog, after: number): Log {
    const rows = this.#sql('SELECT n, data FROM entry WHERE log = ? AND n > ? ORDER BY n').all(id ?? 0, after);
    return { ...log, entries: rows.map(({ n, data }) => ({ n: Number(n), data: data as string })) };
  }

  /** Remembers what a reader has. */
  give(found: FoundLog, given: number): FoundLog {
    this.#sql('UPDATE item_log SET given = ? WHERE id = ?').run(given, found.id ?? 0);
    return { ...found, log: { ...found.log, given } };
  }

  logs(partition: string, row: string, now: number): readonly Log[] {
    return this.#sql(findAll).all(partition, row, now).map(shownLog);
  }

  /** The logs of this name of rows that exist, with their entries. */
  ofRows(numbers: readonly number[], name: string): ReadonlyMap<number, Log> {
    const found = this.#sql(findOfRows).all(JSON.stringify(numbers), name);
    const entries = new Map(found.map(({ id }) => [Number(id), [] as { n: number; data: string }[]]));
    for (const { log, n, data } of this.#sql(entriesOf).all(JSON.stringify([...entries.keys()])))
      entries.get(Number(log))?.push({ n: Number(n), data: data as string });
    return new Map(
      found.map((row) => [Number(row.number), { ...shownLog(row), entries: entries.get(Number(row.id)) }]),
    );
  }

  trim(partition: string, row: string, steps: readonly TrimStep[] | 'all', now: number): void {
    if (steps === 'all') this.#sql('DELETE FROM item_log WHERE partition = ? AND row = ?').run(partition, row);
    else for (const step of steps) this.#trim(this.find(partition, row, step.log, now), step);
  }

  shares(): readonly LogShare[] {
    const found = this.#sql(sharesOf).all();
    return found.map(({ share, chars }) => ({ share: share as string, chars: Number(chars) }));
  }

  /** Deletes entries of shares until each has its size, or all of them have one. */
  shrink(maxChars: number, shares: readonly LogShare[], inUse: number | undefined): void {
    let excess = this.#storeChars() - maxChars;
    for (const { share, chars } of shares) {
      if (excess <= 0) return;
      const has = Number(this.#sql(sizeOfShare).get(share)?.chars ?? 0);
      excess -= this.#shrink(share, Math.min(excess, has - chars), inUse ?? 0);
    }
  }

  /** Deletes so many characters of a share, if it has them; returns how many. */
  #shrink(share: string, by: number, inUse: number): number {
    let deleted = 0;
    while (deleted < by) {
      const log = this.#sql(endedOfShare).get(share, inUse);
      if (log === undefined) break;
      this.#delete(Number(log.id));
      deleted += Number(log.chars) + logOverhead;
    }
    for (let opened = 0; deleted < by; ) {
      const log = this.#sql(openOfShare).get(share, opened);
      if (log === undefined) break;
      const [id, stored, last, chars] = [Number(log.id), Number(log.stored), Number(log.last), Number(log.chars)];
      opened = Number(log.opened);
      deleted += this.#shorten(id, { stored, last, chars }, Math.max(0, chars + deleted - by), id === inUse ? 1 : 0);
    }
    return deleted;
  }

  /** Deletes logs whose row has not existed for a while. */
  deleteLoose(now: number, max: number): void {
    this.#sql(deleteLoose).run(now - looseLogMs, max);
  }

  /** Deletes logs of the row that have ended, the first to end first; returns the sizes that are left. */
  #makeRoom(
    partition: string,
    row: string,
    inUse: number,
    log: Log,
    { maxLogs, maxChars }: NonNullable<AppendOp['room']>,
  ): Log {
    let { rowLogs, rowChars, storeChars = 0 } = log;
    while (rowLogs > maxLogs || rowChars > maxChars) {
      const oldest = this.#sql(firstEnded).get(partition, row, inUse);
      if (oldest === undefined) break;
      const chars = Number(oldest.chars);
      this.#delete(Number(oldest.id));
      [rowLogs, rowChars] = [rowLogs - 1, rowChars - chars];
      if (oldest.share !== null) storeChars -= chars + logOverhead;
    }
    return { ...log, rowLogs, rowChars, storeChars };
  }

  #trim({ id, log }: FoundLog, step: TrimStep): void {
    if (id === undefined || log.rowChars <= step.above) return;
    if ('delete' in step) this.#delete(id);
    else this.#shorten(id, log, Math.max(step.least, log.chars - (log.rowChars - step.target)), step.spare);
  }

  /** Deletes the oldest entries until the log has a size, except the last `spare`; returns how many characters they had. */
  #shorten(id: number, log: Pick<Log, 'stored' | 'last' | 'chars'>, maxChars: number, spare: number): number {
    let { stored, chars } = log;
    if (chars <= maxChars || stored <= spare) return 0;
    const oldest = 'SELECT n, chars FROM entry WHERE log = ? ORDER BY n LIMIT ?';
    let deleted = 0;
    for (const entry of this.#sql(oldest).all(id, stored - spare)) {
      if (chars <= maxChars) break;
      [stored, chars, deleted] = [stored - 1, chars - Number(entry.chars), Number(entry.n)];
    }
    this.#sql('DELETE FROM entry WHERE log = ? AND n <= ?').run(id, deleted);
    const isEmpty = stored === 0;
    this.#sql(shorten).run(stored, isEmpty ? 0 : log.last, chars, isEmpty ? 'none' : 'same', id);
    return log.chars - chars;
  }

  #storeChars(): number {
    return Number(this.#sql('SELECT logChars FROM store').get()?.logChars);
  }

  #delete(id: number): void {
    this.#sql('DELETE FROM item_log WHERE id = ?').run(id);
  }

  #sql(text: string): Statement {
    return this.#connection.sql(text);
  }
}

/** What a log has after entries; `isCleared`: those that were stored go. */
function grown({ count, stored, last, chars }: Log, entries: readonly NewEntry[]) {
  let sizes = { count, stored, last, chars };
  let added: { readonly n: number; readonly data: string; readonly chars: number }[] = [];
  let isCleared = false;
  for (const entry of entries) {
    const n = sizes.count + 1;
    sizes.count = n;
    if (entry.data === undefined) continue;
    // One between was not stored: the stored entries are always the last ones.
    if (sizes.stored > 0 && sizes.last !== n - 1) {
      [isCleared, added] = [true, []];
      sizes = { ...sizes, stored: 0, chars: 0 };
    }
    added.push({ n, data: entry.data, chars: entry.chars });
    sizes = { count: n, stored: sizes.stored + 1, last: n, chars: sizes.chars + entry.chars };
  }
  return { sizes, added, isCleared };
}

const shownLog = (row: SqlRow): Log => ({
  name: row.name as string,
  count: Number(row.count),
  stored: Number(row.stored),
  last: Number(row.last),
  chars: Number(row.chars),
  ended: Number(row.ended),
  mark: optional(row.mark),
  note: row.note === null ? undefined : (row.note as string),
  isFollowed: row.isFollowed === 1,
  given: Number(row.given),
  rowChars: Number(row.rowChars),
  rowLogs: Number(row.rowLogs),
  storeChars: Number(row.storeChars),
});
