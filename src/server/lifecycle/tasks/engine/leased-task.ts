/** A task under the lease of this worker: its events are written one after the other, until another worker may have it. */
import { TenonError } from '../../../../lib/errors/tenon-error.ts';
import type { Entry } from './entries.ts';
import type { Lease, TaskEvent } from './task.ts';
import type { TaskRecord, TaskRecords } from './task-records.ts';

/** The callbacks of its worker. */
export interface LeaseHost {
  readonly records: TaskRecords;
  /** Milliseconds that never run backwards. */
  now(): number;
  /** A write that failed is tried again after a pause, until the lease lapses. */
  pause(ms: number): Promise<void>;
  readonly leaseMs: number;
  readonly limits: JournalLimits;
  /** The state of a task has changed. */
  changed(record: TaskRecord): void;
}

export interface JournalLimits {
  readonly maxEntries: number;
  readonly maxChars: number;
}

/** A lease, and when it was asked for: it began then at the latest. */
export interface TakenLease {
  readonly lease: Lease;
  readonly askedAt: number;
}

/** The size of the journal so far. */
export interface JournalSize {
  readonly entries: number;
  readonly chars: number;
}

/** An event of the worker that runs a task. */
export type OwnEvent = {
  [K in TaskEvent['type']]: Extract<TaskEvent, { type: K }>;
}['beat' | 'park' | 'retry' | 'finish'];
type WithoutLease<T> = T extends unknown ? Omit<T, 'lease'> : never;

export class LeasedTask {
  readonly #host: LeaseHost;
  readonly #lease: Lease;
  /** `cause` is set where the store has failed. */
  readonly #onLost: (reason: string, cause?: unknown) => void;
  #record: TaskRecord;
  /** When the lease was last known to be held. */
  #heldAt: number;
  /** When the row was read: its deadlines are relative to this time, and must not come early. */
  #readAt: number;
  #entries: number;
  #chars: number;
  /** Each write needs the version that the one before has written. */
  #writing: Promise<unknown> = Promise.resolve();
  #isEnded = false;

  constructor(
    host: LeaseHost,
    record: TaskRecord,
    { lease, askedAt }: TakenLease,
    size: JournalSize,
    onLost: (reason: string, cause?: unknown) => void,
  ) {
    this.#host = host;
    this.#record = record;
    this.#lease = lease;
    this.#onLost = onLost;
    this.#entries = size.entries;
    this.#chars = size.chars;
    this.#heldAt = askedAt;
    this.#readAt = host.now();
  }

  /** The task as it was last written, at the present time of the store's clock. */
  get record(): TaskRecord {
    const { row, task } = this.#record;
    return { row: { ...row, now: row.now + Math.floor(this.#host.now() - this.#readAt) }, task };
  }

  /** Whether the lease may have lapsed: another worker may run the task now. */
  get isOverdue(): boolean {
    return this.#host.now() - this.#heldAt >= this.#host.leaseMs * 0.8;
  }

  /** Nothing more is written. */
  end(): void {
    this.#isEnded = true;
  }

  /** How far the clock of the store is ahead of `record`: it may have been set. */
  async clockError(): Promise<number> {
    const { id, owner } = this.#record.row;
    const found = await this.#host.records.read(id, owner);
    return found === undefined ? 0 : found.row.now - this.record.row.now;
  }

  /** The error for entries for which the journal has no room. */
  checkRoom(entries: readonly Entry[]): TenonError | undefined {
    const { maxEntries, maxChars } = this.#host.limits;
    const chars = entries.reduce((sum, entry) => sum + JSON.stringify(entry).length, this.#chars);
    return this.#entries + entries.length > maxEntries || chars > maxChars
      ? journalFull(maxEntries, maxChars)
      : undefined;
  }

  /** The error for a result that is too large by itself: a full journal has room for one that is not. */
  checkResult(entry: Entry): TenonError | undefined {
    const { maxEntries, maxChars } = this.#host.limits;
    return JSON.stringify(entry).length > maxChars ? journalFull(maxEntries, maxChars) : undefined;
  }

  /** Stores an entry. Throws if the journal is full, or this worker lost the task. */
  async append(entry: Entry): Promise<void> {
    const full = this.checkRoom([entry]);
    if (full !== undefined) throw full;
    if (!(await this.write({ type: 'beat' }, [entry]))) throw new TenonError('task-lost', lostText);
  }

  /** Writes an event after those before it; false if the task is no longer this worker's. */
  write(event: WithoutLease<OwnEvent>, entries: readonly Entry[] = []): Promise<boolean> {
    const written = this.#writing.then(() => this.#attempt({ ...event, lease: this.#lease } as OwnEvent, entries));
    this.#writing = written;
    return written;
  }

  async #attempt(event: OwnEvent, entries: readonly Entry[]): Promise<boolean> {
    const texts = entries.map((entry) => JSON.stringify(entry));
    const unanswered = { versions: new Set<number>(), from: this.#entries };
    for (let pauseMs = 50; !this.#isEnded; pauseMs = Math.min(pauseMs * 2, 1000)) {
      const begun = this.#host.now();
      try {
        const changed = await this.#host.records.change(this.record, event, texts, unanswered);
        if (typeof changed === 'string') {
          this.#onLost(lostText);
          return false;
        }
        this.#held(changed, begun, texts);
        if (event.type !== 'beat' || event.progress !== undefined) this.#host.changed(changed);
        return true;
      } catch (error) {
        if (this.isOverdue) this.#onLost('the store of tasks cannot be reached', error);
        else await this.#host.pause(pauseMs);
      }
    }
    return false;
  }

  #held(changed: TaskRecord, begun: number, texts: readonly string[]): void {
    this.#heldAt = begun;
    this.#readAt = begun;
    this.#record = changed;
    this.#entries += texts.length;
    for (const { length } of texts) this.#chars += length;
  }
}

const lostText = 'The task was cancelled, has expired, or is run by another worker.';

const journalFull = (entries: number, chars: number): TenonError =>
  new TenonError('journal-full', `The journal of the task is full: it has ${entries} entries or ${chars} characters.`, {
    hint: 'Store less in steps, return less, or raise tasks.maxJournalChars of createServer().',
  });
