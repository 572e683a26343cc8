/** The changes of a server, numbered, in the store that its nodes share: the last few of them. */
import { TenonError } from '../../../../lib/errors/tenon-error.ts';
import { runInBackground } from '../../../../lib/values/maybe-promise.ts';
import type { EventLogLimits, StoredEvents } from '../../../../store/event-store.ts';
import type { Store } from '../../../../store/store.ts';
import type { Change } from '../../../ports/change-notifications.ts';

export interface NumberedChange {
  /** Later changes have greater numbers, also if the log had to begin again. */
  readonly number: number;
  readonly change: Change;
}

/** What happened after a change. */
export interface LaterChanges {
  readonly changes: readonly NumberedChange[];
  /** Whether some changes are no longer known. */
  readonly isMissed: boolean;
  /** The number of the last change. */
  readonly end: number;
}

const limits: EventLogLimits = {
  maxStreamChars: 256 * 1024,
  maxSessionChars: 256 * 1024,
  maxTotalStoredChars: Infinity,
  maxStreams: 1,
};

const stream = 'changes';

/**
 * How long changes are remembered for nodes with one store, at most 256 Ki characters of them.
 * @limit HTTP
 * @beyond listeners are notified of everything they listen to
 */
const storedMs = 7 * 24 * 3_600_000;
const extendMs = 3_600_000;

/** How many changes a log can have in each millisecond since it began: those of the next log have greater numbers. */
const perMs = 1000;

export class ChangeLog {
  readonly #store: Store;
  readonly #key: string;
  readonly #now: () => number;
  /** When the log began; its numbers are counted from there. Not known before it was read. */
  #began: number | undefined;
  #extendedAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store, server: string, now: () => number) {
    this.#store = store;
    this.#key = `changes/${server}`;
    this.#now = now;
  }

  /** The number of the last change. A log begins with an entry that is none, so that there is always a number. */
  async end(): Promise<number> {
    const found = await this.#readAfter(0);
    if (found === undefined) return this.append(null);
    return this.#numberOf(found.note, found.events.at(-1)?.n ?? found.from);
  }

  /** Adds a change; returns its number. */
  async append(change: Change | null): Promise<number> {
    this.#extend();
    const note = String(this.#now());
    const n = await this.#store.events.append(this.#key, stream, JSON.stringify(change), limits, note);
    // Streams of changes do not end: the store has lost and found something.
    if (n === undefined || n === 0) throw new Error('The log of changes was closed.');
    if (n > 1 && this.#began === undefined) await this.end();
    return this.#numberOf(n === 1 ? note : undefined, n);
  }

  /** The changes after the one of this number. */
  async after(number: number): Promise<LaterChanges> {
    if (this.#began === undefined) await this.end();
    const n = number - (this.#began ?? 0) * perMs;
    const found = n < 0 ? undefined : await this.#readAfter(n);
    const isOther = found !== undefined && Number(found.note) !== this.#began;
    if (found === undefined || isOther) return this.#begunAgain(number);
    const changes = found.events.flatMap((event) => {
      const change = JSON.parse(event.data) as Change | null;
      return change === null ? [] : [{ number: this.#numberOf(found.note, event.n), change }];
    });
    return { changes, isMissed: found.from > n, end: this.#numberOf(found.note, found.events.at(-1)?.n ?? found.from) };
  }

  /** A log whose key was removed after a rotation can never be read again: it is deleted, and begins again. */
  async #readAfter(n: number): Promise<StoredEvents | undefined> {
    try {
      return await this.#store.events.readAfter(this.#key, stream, n);
    } catch (error) {
      if (!(error instanceof TenonError && error.code === 'store-key-missing')) throw error;
      await this.#store.events.deleteSession(this.#key);
      return undefined;
    }
  }

  /** The log has expired or was lost: what it had after that number is not known, unless nothing has happened since. */
  async #begunAgain(number: number): Promise<LaterChanges> {
    const end = await this.end();
    return { changes: [], isMissed: end > number, end: Math.max(end, number) };
  }

  #numberOf(note: string | undefined, n: number): number {
    if (note !== undefined) this.#began = Number(note);
    return (this.#began ?? 0) * perMs + n;
  }

  /** A log expires with its record, like those of sessions. Where that fails, the next change tries again. */
  #extend(): void {
    const moment = this.#now();
    if (moment - this.#extendedAt < extendMs) return;
    const before = this.#extendedAt;
    this.#extendedAt = moment;
    const { sessions } = this.#store;
    const until = moment + storedMs;
    runInBackground(
      async () => (await sessions.update(this.#key, {}, until)) || sessions.create(this.#key, {}, until),
      () => {
        this.#extendedAt = before;
      },
    );
  }
}
