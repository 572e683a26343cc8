/** The queues of the SQLite engine: rows that are due, in lanes that take turns. Every method runs inside a transaction. */
import type { Taken, TakeRequest } from '../../store/driver.ts';
import type { Connection } from '../connection.ts';
import type { Row as SqlRow, Statement } from '../database.ts';
import type { SqliteLogs } from './logs.ts';
import { type SqliteRows, shownRow } from './rows.ts';
import { changedBy } from './values.ts';

/** A lane whose turn it is. */
interface Lane {
  readonly id: number;
  readonly partition: string;
  readonly queue: string;
  readonly name: string;
  /** Rows that are next. */
  next: number[];
  /** Whether no row is due besides them. */
  isDry: boolean;
  turn: number | undefined;
}

/** The lanes of the queues of a request, whose names are two lists in JSON. */
const lanes = 'json_each(?1) AS p CROSS JOIN json_each(?2) AS q CROSS JOIN lane AS l';
const later = `FROM ${lanes} WHERE l.partition = p.value AND l.queue = q.value AND l.turn IS NULL AND l.at <= ?3`;
const inTurn = `FROM ${lanes} WHERE l.partition = p.value AND l.queue = q.value AND l.turn IS NOT NULL`;
const anyDue = `SELECT EXISTS (SELECT 1 ${inTurn}) OR EXISTS (SELECT 1 ${later}) AS isAny`;
const promote = `UPDATE lane SET turn = due.turn FROM (SELECT l.id, ?4 + row_number() OVER (ORDER BY l.at, l.id) AS turn ${later}) AS due WHERE lane.id = due.id`;
const first = `SELECT l.id, l.partition, l.queue, l.name FROM ${lanes} WHERE l.id IN (SELECT id FROM lane WHERE partition = p.value AND queue = q.value AND turn IS NOT NULL ORDER BY turn LIMIT ?3) ORDER BY l.turn LIMIT ?3`;
const dueRows =
  'SELECT d.number FROM due AS d JOIN item AS i ON i.number = d.number WHERE d.partition = ?1 AND d.queue = ?2 AND d.lane = ?3 AND d.at <= ?4 AND (i.expiresAt IS NULL OR i.expiresAt > ?4) ORDER BY d.at, d.number LIMIT ?5';
const lease = 'UPDATE due SET at = ? WHERE (number, queue) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))';
const hold =
  'UPDATE item SET version = ?, takenCount = CASE WHEN takenQueue = chosen.queue THEN takenCount + 1 ELSE 1 END, takenQueue = chosen.queue, takenAt = ? FROM (SELECT value ->> 0 AS number, value ->> 1 AS queue FROM json_each(?)) AS chosen WHERE item.number = chosen.number RETURNING *';
/** A lane without a turn waits until its next row is due. */
const giveTurns =
  'UPDATE lane SET turn = given.turn, at = CASE WHEN given.turn IS NULL THEN (SELECT min(d.at) FROM due AS d WHERE d.partition = lane.partition AND d.queue = lane.queue AND d.lane = lane.name) ELSE at END FROM (SELECT value ->> 0 AS id, value ->> 1 AS turn FROM json_each(?)) AS given WHERE lane.id = given.id';

/** How many expired rows a call deletes, so that a queue has few of them. */
const sweep = 100;

export class SqliteQueues {
  readonly #connection: Connection;
  readonly #rows: SqliteRows;
  readonly #logs: SqliteLogs;

  constructor(connection: Connection, rows: SqliteRows, logs: SqliteLogs) {
    this.#connection = connection;
    this.#rows = rows;
    this.#logs = logs;
  }

  /** Whether there may be a row to take: asking that needs no write. */
  isAnyDue({ partitions, queues }: TakeRequest, now: number): boolean {
    return this.#sql(anyDue).get(JSON.stringify(partitions), JSON.stringify(queues), now)?.isAny === 1;
  }

  take(request: TakeRequest, now: number): readonly Taken[] {
    const { max, log } = request;
    this.#rows.expire(now, sweep);
    this.#promote(request, now);
    const chosen = new Map<number, string>();
    const held = new Map<number, SqlRow>();
    let open: readonly Lane[];
    do {
      open = this.#inTurn(request);
      for (const row of this.#hold(this.#choose(open, chosen, max, now), request, now))
        held.set(Number(row.number), row);
      this.#giveTurns(open);
      // Lanes whose rows have left since they got their turn have lost it now: others may be behind them.
    } while (chosen.size < max && open.length === max);
    const logs = log === undefined ? undefined : this.#logs.ofRows([...chosen.keys()], log);
    return [...chosen.keys()].map((number) => {
      const row = held.get(number) as SqlRow;
      const known = logs?.get(number);
      return { partition: row.partition as string, row: shownRow(row), ...(known && { log: known }) };
    });
  }

  /** Lanes with rows that are due get a turn. */
  #promote({ partitions, queues }: TakeRequest, now: number): void {
    const added = changedBy(
      this.#sql(promote).run(JSON.stringify(partitions), JSON.stringify(queues), now, this.#turns()),
    );
    if (added > 0) this.#sql('UPDATE store SET turns = turns + ?').run(added);
  }

  /** Lanes that may have rows that are due, the one whose turn it is first; no more than rows are wanted. */
  #inTurn({ partitions, queues, max }: TakeRequest): readonly Lane[] {
    return this.#sql(first).all(JSON.stringify(partitions), JSON.stringify(queues), max).map(laneOf);
  }

  /** Gives rows to the holder of a request. */
  #hold(
    rows: readonly (readonly [number: number, queue: string])[],
    request: TakeRequest,
    now: number,
  ): readonly SqlRow[] {
    if (rows.length === 0) return [];
    const pairs = JSON.stringify(rows);
    this.#sql(lease).run(now + request.leaseMs, pairs);
    return this.#sql(hold).all(request.holder, now, pairs);
  }

  /** Adds the rows whose turn it is to those that are chosen, each with its queue. One that is due in two queues is taken once. */
  #choose(
    lanesInTurn: readonly Lane[],
    chosen: Map<number, string>,
    max: number,
    now: number,
  ): readonly (readonly [number, string])[] {
    const before = chosen.size;
    const share = Math.ceil((max - before) / lanesInTurn.length);
    let turn = 0;
    let open = lanesInTurn;
    while (open.length > 0)
      open = open.filter((lane) => {
        if (chosen.size >= max) return false;
        const number = this.#next(lane, chosen, share, max, now);
        if (number === undefined) return false;
        chosen.set(number, lane.queue);
        lane.turn = ++turn;
        return true;
      });
    return [...chosen].slice(before);
  }

  #next(lane: Lane, chosen: ReadonlyMap<number, string>, share: number, max: number, now: number): number | undefined {
    const { partition, queue, name } = lane;
    for (let limit = share; ; limit = max) {
      for (let number = lane.next.shift(); number !== undefined; number = lane.next.shift())
        if (!chosen.has(number)) return number;
      if (lane.isDry) return undefined;
      lane.next = this.#sql(dueRows)
        .all(partition, queue, name, now, limit)
        .map(({ number }) => Number(number));
      lane.isDry = lane.next.length < limit;
    }
  }

  /** A lane that had its turn goes behind the others, or waits until a row of it is due. */
  #giveTurns(open: readonly Lane[]): void {
    const turns = this.#turns();
    const given = open
      .filter(({ isDry, turn }) => isDry || turn !== undefined)
      .map(({ id, isDry, next, turn }) => [id, isDry && next.length === 0 ? null : turns + (turn ?? 0)]);
    this.#sql(giveTurns).run(JSON.stringify(given));
    const most = Math.max(0, ...open.map(({ turn }) => turn ?? 0));
    this.#sql('UPDATE store SET turns = turns + ?').run(most);
  }

  #turns(): number {
    return Number(this.#sql('SELECT turns FROM store').get()?.turns);
  }

  #sql(text: string): Statement {
    return this.#connection.sql(text);
  }
}

const laneOf = ({ id, partition, queue, name }: SqlRow): Lane => ({
  id: Number(id),
  partition: partition as string,
  queue: queue as string,
  name: name as string,
  next: [],
  isDry: false,
  turn: undefined,
});
