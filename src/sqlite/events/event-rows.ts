/** The rows of event logs: of streams, of their sessions and of all of them. Every method runs inside a transaction. */
import { maxAwaited, type StoredEvent } from '../../store/events/event-store.ts';
import type { Connection } from '../connection.ts';
import type { Row } from '../database.ts';

/** The log of one stream. */
export interface LogRow {
  readonly session: string;
  readonly stream: string;
  /** Events so far, stored or not. */
  readonly count: number;
  /** How many of them are stored, the last one awaited or not. */
  readonly stored: number;
  readonly size: number;
  /** Whether a client reads the stream at another process. */
  readonly followed: boolean;
  /** The last event that a reader was given. */
  readonly given: number;
  /** The number of the last change that an event is about. */
  readonly change: number | undefined;
  readonly isEnded: boolean;
  /** What its first event was stored with. */
  readonly note: string | undefined;
}

/** An event that is too large to be stored, held for the client that is about to read it. */
export interface AwaitedRow extends StoredEvent {
  readonly session: string;
  readonly stream: string;
}

/** What each stream counts in the size of all logs, so that streams without stored events are limited as well. */
const streamOverhead = 512;

export class EventRows {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  find(session: string, stream: string): LogRow | undefined {
    const row = this.#sql('SELECT * FROM log WHERE session = ? AND stream = ?').get(session, stream);
    return row && logOf(row);
  }

  begin(session: string, stream: string, note: string | undefined): LogRow {
    this.#sql('INSERT OR IGNORE INTO log_session VALUES (?, 0, 0)').run(session);
    this.#sql('INSERT INTO log VALUES (?, ?, 0, 0, 0, 0, NULL, NULL, ?, NULL, 0)').run(session, stream, note ?? null);
    this.#sql('UPDATE log_total SET size = size + ?').run(streamOverhead);
    return this.find(session, stream) as LogRow;
  }

  /** Counts an event, whether it is stored or not. */
  count({ session, stream }: LogRow, followed: boolean, maxSize: number, change: number | undefined): void {
    const update =
      'UPDATE log SET count = count + 1, followed = ?, change = coalesce(?, change) WHERE session = ? AND stream = ?';
    this.#sql(update).run(Number(followed), change ?? null, session, stream);
    this.#sql('UPDATE log_session SET maxSize = ? WHERE session = ?').run(maxSize, session);
  }

  /** A reader has the events up to this number. */
  give({ session, stream, given }: LogRow, n: number): void {
    if (n > given) this.#sql('UPDATE log SET given = ? WHERE session = ? AND stream = ?').run(n, session, stream);
  }

  /** Adds an event; the caller makes room for it. */
  store({ session, stream }: LogRow, { n, data }: StoredEvent, size: number): void {
    this.#sql('INSERT INTO event VALUES (?, ?, ?, ?, ?)').run(session, stream, n, data, size);
    const opened = `UPDATE log SET opened = ? WHERE session = ? AND stream = ? AND ended IS NULL AND opened IS NULL`;
    this.#sql(opened).run(this.#next(), session, stream);
    this.#grow(session, stream, size, 1);
  }

  end({ session, stream }: LogRow): void {
    const update = 'UPDATE log SET ended = ?, opened = NULL WHERE session = ? AND stream = ? AND ended IS NULL';
    this.#sql(update).run(this.#next(), session, stream);
  }

  /** Deletes the oldest events until the log has this size, except the last `spared`. */
  shorten(log: LogRow, maxSize: number, spared: number): void {
    const { session, stream } = log;
    let { size, stored } = this.find(session, stream) ?? { size: 0, stored: 0 };
    if (size <= maxSize || stored <= spared) return;
    const before = { size, stored };
    let last = 0;
    const oldest = 'SELECT n, size FROM event WHERE session = ? AND stream = ? ORDER BY n LIMIT ?';
    for (const row of this.#sql(oldest).all(session, stream, stored - spared)) {
      if (size <= maxSize) break;
      size -= Number(row.size);
      stored--;
      last = Number(row.n);
    }
    this.#sql('DELETE FROM event WHERE session = ? AND stream = ? AND n <= ?').run(session, stream, last);
    this.#grow(session, stream, size - before.size, stored - before.stored);
    if (stored > 0) return;
    this.#sql('UPDATE log SET opened = NULL WHERE session = ? AND stream = ?').run(session, stream);
  }

  delete(log: LogRow): void {
    const { session, stream } = log;
    this.dropAwaited(session, stream);
    this.shorten(log, -1, 0);
    this.#sql('DELETE FROM log WHERE session = ? AND stream = ?').run(session, stream);
    this.#sql('UPDATE log_total SET size = size - ?').run(streamOverhead);
  }

  deleteSession(session: string): void {
    for (const row of this.#sql('SELECT * FROM log WHERE session = ?').all(session)) this.delete(logOf(row));
    this.#sql('DELETE FROM log_session WHERE session = ?').run(session);
  }

  eventsAfter({ session, stream }: LogRow, n: number): readonly StoredEvent[] {
    const after = 'SELECT n, data FROM event WHERE session = ? AND stream = ? AND n > ? ORDER BY n';
    return this.#sql(after)
      .all(session, stream, n)
      .map((row) => ({ n: Number(row.n), data: row.data as string }));
  }

  /** Streams that have ended, the first to end first: of one session, or of all. */
  ended(session?: string): readonly LogRow[] {
    const of = session === undefined ? '' : 'session = ? AND ';
    const select = `SELECT * FROM log WHERE ${of}ended IS NOT NULL ORDER BY ended LIMIT 100`;
    return this.#sql(select)
      .all(...(session === undefined ? [] : [session]))
      .map(logOf);
  }

  /** Open streams with stored events, the one that has had some for longest first. */
  open(): readonly LogRow[] {
    return this.#sql('SELECT * FROM log WHERE opened IS NOT NULL ORDER BY opened LIMIT 100').all().map(logOf);
  }

  /** The streams of a session that have a size. */
  sized(session: string): readonly LogRow[] {
    return this.#sql('SELECT * FROM log WHERE session = ? AND size > 0').all(session).map(logOf);
  }

  streams(session: string): number {
    return Number(this.#sql('SELECT count(*) AS streams FROM log WHERE session = ?').get(session)?.streams);
  }

  sizeOfSession(session: string): number {
    return Number(this.#sql('SELECT size FROM log_session WHERE session = ?').get(session)?.size ?? 0);
  }

  sizeOfAll(): number {
    return Number(this.#sql('SELECT size FROM log_total').get()?.size);
  }

  sizeOfAwaited(): number {
    return Number(this.#sql('SELECT awaited FROM log_total').get()?.awaited);
  }

  awaitedOf(session: string, stream: string): AwaitedRow | undefined {
    const select = 'SELECT session, stream, n, data FROM awaited WHERE session = ? AND stream = ?';
    const row = this.#sql(select).get(session, stream);
    return row && awaitedRow(row);
  }

  /** Deletes the awaited event of a stream, if it has one. */
  dropAwaited(session: string, stream: string): void {
    const awaited = this.awaitedOf(session, stream);
    if (awaited !== undefined) this.deleteAwaited(awaited);
  }

  /** Awaited events, the oldest first: all of them, or those that were not read in time. */
  awaiting(until?: number): readonly AwaitedRow[] {
    const where = until === undefined ? '' : 'WHERE until <= ?';
    return this.#sql(`SELECT session, stream, n, data FROM awaited ${where} ORDER BY sequence LIMIT 100`)
      .all(...(until === undefined ? [] : [until]))
      .map(awaitedRow);
  }

  /** Holds the last event of a log for the client that is about to read it. The oldest such events of its session make room. */
  setAwaited({ session, stream }: LogRow, { n, data }: StoredEvent, size: number, until: number): void {
    this.dropAwaited(session, stream);
    const insert = 'INSERT INTO awaited VALUES (?, ?, ?, ?, ?, ?, ?)';
    this.#sql(insert).run(session, stream, n, data, size, until, this.#next());
    this.#sql('UPDATE log_total SET awaited = awaited + ?').run(size);
    const older =
      'SELECT session, stream, n, data FROM awaited WHERE session = ? ORDER BY sequence DESC LIMIT -1 OFFSET ?';
    for (const row of this.#sql(older).all(session, maxAwaited)) this.deleteAwaited(awaitedRow(row));
  }

  /** Deletes the events before it too: the stored events of a stream are always its last ones. */
  deleteAwaited({ session, stream }: AwaitedRow): void {
    const row = this.#sql('DELETE FROM awaited WHERE session = ? AND stream = ? RETURNING size').get(session, stream);
    this.#sql('UPDATE log_total SET awaited = awaited - ?').run(Number(row?.size ?? 0));
    const log = this.find(session, stream);
    if (log !== undefined) this.shorten(log, -1, 0);
  }

  #grow(session: string, stream: string, by: number, events: number): void {
    const log = 'UPDATE log SET size = size + ?, stored = stored + ? WHERE session = ? AND stream = ?';
    this.#sql(log).run(by, events, session, stream);
    this.#sql('UPDATE log_session SET size = size + ? WHERE session = ?').run(by, session);
    this.#sql('UPDATE log_total SET size = size + ?').run(by);
  }

  /** A number larger than all before it, for orders. */
  #next(): number {
    return Number(this.#sql('UPDATE log_total SET sequence = sequence + 1 RETURNING sequence').get()?.sequence);
  }

  #sql(text: string) {
    return this.#connection.sql(text);
  }
}

const logOf = (row: Row): LogRow => ({
  session: row.session as string,
  stream: row.stream as string,
  count: Number(row.count),
  stored: Number(row.stored),
  size: Number(row.size),
  followed: row.followed === 1,
  given: Number(row.given),
  change: row.change === null ? undefined : Number(row.change),
  isEnded: row.ended !== null,
  note: row.note === null ? undefined : (row.note as string),
});

const awaitedRow = (row: Row): AwaitedRow => ({
  session: row.session as string,
  stream: row.stream as string,
  n: Number(row.n),
  data: row.data as string,
});
