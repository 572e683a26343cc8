/** The queues of an engine in memory: rows that are due, in lanes that take turns. */
import { TimeSlots } from './time-slots.ts';

/** A row in a queue. */
export interface Due<Row> {
  readonly row: Row;
  readonly lane: Lane<Row>;
  readonly at: number;
}

/** The rows of one owner in one queue. */
interface Lane<Row> {
  readonly queue: Queue<Row>;
  readonly name: string;
  /** Those that are due, the one that has been due longest first. */
  readonly ready: Set<Due<Row>>;
  /** How many are not due yet. */
  waiting: number;
  /** Grows with every turn of any lane: the lane with the lowest is next. */
  turn: number;
}

interface Queue<Row> {
  /** Every lane with a row. */
  readonly lanes: Map<string, Lane<Row>>;
  /** The lanes with rows that are due, the one whose turn it is first. */
  readonly turns: Set<Lane<Row>>;
}

export class Queues<Row> {
  readonly #queues = new Map<string, Queue<Row>>();
  readonly #later = new TimeSlots<Due<Row>>();
  #turns = 0;

  /** Adds a row; the name of a queue has its partition in it. */
  add(name: string, laneName: string, row: Row, at: number, now: number): Due<Row> {
    this.#promote(now);
    const queue = this.#queues.get(name) ?? { lanes: new Map(), turns: new Set() };
    this.#queues.set(name, queue);
    const lane = queue.lanes.get(laneName) ?? { queue, name: laneName, ready: new Set(), waiting: 0, turn: 0 };
    queue.lanes.set(laneName, lane);
    const due: Due<Row> = { row, lane, at };
    if (at <= now) this.#ready(due);
    else {
      lane.waiting++;
      this.#later.add(due);
    }
    return due;
  }

  delete(name: string, due: Due<Row>): void {
    const { lane } = due;
    if (lane.ready.delete(due)) {
      if (lane.ready.size === 0) lane.queue.turns.delete(lane);
    } else {
      lane.waiting--;
      this.#later.delete(due);
    }
    if (lane.ready.size > 0 || lane.waiting > 0) return;
    lane.queue.lanes.delete(lane.name);
    if (lane.queue.lanes.size === 0) this.#queues.delete(name);
  }

  /** The next row of these queues, with the place that named its queue; its lane has had its turn. */
  next<Place extends { readonly name: string }>(
    places: readonly Place[],
    now: number,
  ): { readonly place: Place; readonly due: Due<Row> } | undefined {
    this.#promote(now);
    let best: { place: Place; due: Due<Row>; lane: Lane<Row> } | undefined;
    for (const place of places) {
      const queue = this.#queues.get(place.name);
      if (queue === undefined || queue.turns.size === 0) continue;
      const [lane] = queue.turns;
      const [due] = lane?.ready ?? [];
      if (lane === undefined || due === undefined) continue;
      if (best === undefined || lane.turn < best.lane.turn) best = { place, due, lane };
    }
    if (best === undefined) return undefined;
    this.#takeTurn(best.lane);
    return best;
  }

  clear(): void {
    this.#queues.clear();
    this.#later.clear();
  }

  #promote(now: number): void {
    for (const due of this.#later.due(now)) {
      due.lane.waiting--;
      this.#ready(due);
    }
  }

  #ready(due: Due<Row>): void {
    const { lane } = due;
    lane.ready.add(due);
    if (!lane.queue.turns.has(lane)) this.#takeTurn(lane);
  }

  #takeTurn(lane: Lane<Row>): void {
    lane.turn = ++this.#turns;
    lane.queue.turns.delete(lane);
    lane.queue.turns.add(lane);
  }
}
