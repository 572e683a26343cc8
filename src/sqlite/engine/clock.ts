/** The clock of a SQLite file. It never goes back: when the time of the machine is set back, it goes on from the furthest that a process has stored. */
import type { Connection } from '../connection.ts';

/** How much later the time is before it is stored again: a write for each run would cost more than it is worth. */
const storeEveryMs = 2000;

export class StoreClock {
  readonly #connection: Connection;
  readonly #clock: () => number;
  #latest: number;
  /** How far it is ahead of the time of the machine. */
  #ahead = 0;
  #stored: number;

  /** `connection` has the tables. */
  constructor(connection: Connection, clock: () => number) {
    this.#connection = connection;
    this.#clock = clock;
    this.#stored = this.#read();
    this.#latest = this.#stored;
  }

  now(): number {
    const moment = this.#clock();
    if (moment + this.#ahead < this.#latest) {
      // The machine was set back: other processes may have seen a later time than this one.
      this.#latest = Math.max(this.#latest, this.#read());
      this.#ahead = this.#latest - moment;
    }
    this.#latest = moment + this.#ahead;
    return this.#latest;
  }

  #read(): number {
    return Number(this.#connection.sql('SELECT clock FROM store').get()?.clock);
  }

  /** The time, inside a write transaction: it is stored from time to time, and that of other processes is read. */
  saved(writer: Connection): number {
    const now = this.now();
    if (now - this.#stored < storeEveryMs) return now;
    const row = writer.sql('UPDATE store SET clock = max(clock, ?) RETURNING clock').get(now);
    this.#stored = Number(row?.clock);
    this.#latest = Math.max(now, this.#stored);
    return this.#latest;
  }
}
