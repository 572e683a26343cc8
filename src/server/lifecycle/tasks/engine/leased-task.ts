/** A task under the lease of this worker: its events are written one after the other, until another worker may have it. */
import { TenonError } from '../../../../lib/errors/tenon-error.ts';
import type { Entry } from './entries.ts';
import type { Lease, TaskEvent, TaskProgress } from './task.ts';
import { newVersion, type TaskRecord, type TaskRecords } from './task-records.ts';

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

/** Creates the record of a task that ran without one so far; false if its owner has too many. */
export type CreateRecord = (
  entries: readonly Entry[],
  progress: TaskProgress | undefined,
) => Promise<TaskRecord | false>;

/** A task under a lease. */
export interface HeldTask {
  readonly record: TaskRecord;
  readonly lease: Lease;
  /** When the lease was asked for: it began then at the latest. */
  readonly askedAt: number;
  /** Set for a task that has no record: `record` is what it would be. */
  readonly create?: CreateRecord;
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

/** The task of a call that has only begun has no record yet: its journal is in memory until `store`. */
export class LeasedTask {
  readonly #host: LeaseHost;
  readonly #held: HeldTask;
  /** `cause` is set where the store has failed. */
  readonly #onLost: (reason: string, cause?: unknown) => void;
  /** As it was last written, if it was. */
  #record: TaskRecord | undefined;
  /** When the lease was last known to be held. */
  #heldAt: number;
  /** When the row was read: its deadlines are relative to this time, and must not come early. */
  #readAt: number;
  #entries: number;
  #chars: number;
  /** Set as long as the task has no record. */
  #create: CreateRecord | undefined;
  /** The entries that have no record to be in. */
  #unstored: Entry[] = [];
  #storing: Promise<boolean> | undefined;
  #isAnnounced = false;
  /** The time of the store when the run first asked for it: its sleeps count from there. */
  #clock: { readonly began: number; readonly at: number } | undefined;
  /** Each write needs the version that the one before has written. */
  #writing: Promise<unknown> = Promise.resolve();
  #isEnded = false;

  constructor(host: LeaseHost, held: HeldTask, size: JournalSize, onLost: (reason: string, cause?: unknown) => void) {
    this.#host = host;
    this.#held = held;
    this.#onLost = onLost;
    this.#entries = size.entries;
    this.#chars = size.chars;
    this.#heldAt = held.askedAt;
    this.#readAt = host.now();
    this.#create = held.create;
  }

  /** The task as it was last written, at the present time of the store's clock. */
  get record(): TaskRecord {
    const { row, task } = this.#current;
    return { row: { ...row, now: row.now + Math.floor(this.#host.now() - this.#readAt) }, task };
  }

  get #current(): TaskRecord {
    return this.#record ?? this.#held.record;
  }

  get id(): string {
    return this.#current.row.id;
  }

  /** Whether the lease may have lapsed: another worker may run the task now. */
  get isOverdue(): boolean {
    return this.isStored && this.#host.now() - this.#heldAt >= this.#host.leaseMs * 0.8;
  }

  /** Nothing more is written. */
  end(): void {
    this.#isEnded = true;
  }

  get isStored(): boolean {
    return this.#create === undefined;
  }

  /** Creates the record of a task that has none. False if there is no room for it: then the run goes on without one. */
  store(): Promise<boolean> {
    this.#storing ??= this.#store().finally(() => {
      this.#storing = undefined;
    });
    return this.#storing;
  }

  /** What ends while the record is created is written after it, before a client gets the task. */
  async #store(): Promise<boolean> {
    if (this.#create === undefined) return true;
    const begun = this.#host.now();
    const entries = [...this.#unstored];
    const made = await this.#create(entries, this.#current.task.progress);
    if (made === false) return false;
    this.#create = undefined;
    this.#wrote(made, begun, []);
    const later = this.#unstored.slice(entries.length);
    this.#unstored = [];
    return later.length === 0 || this.write({ type: 'beat' }, later);
  }

  /** The caller has the ID of the task: from now on another worker may go on with it. */
  async announced(): Promise<void> {
    if (this.#current.task.isUnannounced !== true) return;
    this.#isAnnounced = true;
    await this.write({ type: 'beat' });
  }

  /** The time by which sleeps end. */
  now(): number {
    this.#clock ??= { began: this.record.row.now, at: this.#host.now() };
    return this.#clock.began + Math.floor(this.#host.now() - this.#clock.at);
  }

  /** How far the clock of the store is ahead of `now`: it may have been set, or was not known. */
  async clockError(): Promise<number> {
    const { id, owner } = this.#current.row;
    const found = await this.#host.records.read(id, owner);
    return found === undefined ? 0 : found.row.now - this.now();
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
    if (!this.isStored) {
      this.#unstored.push(entry);
      return this.#count([JSON.stringify(entry)]);
    }
    const beat = entry.is === 'step' ? ({ type: 'beat', hasStep: true } as const) : ({ type: 'beat' } as const);
    if (!(await this.write(beat, [entry]))) throw new TenonError('task-lost', lostText);
  }

  /** Writes an event after those before it; false if the task is no longer this worker's. */
  write(event: WithoutLease<OwnEvent>, entries: readonly Entry[] = []): Promise<boolean> {
    if (!this.isStored) return this.#note(event);
    const own = { ...event, lease: this.#held.lease, ...(this.#isAnnounced && { isAnnounced: true }) } as OwnEvent;
    const written = this.#writing.then(() => this.#attempt(own, entries));
    this.#writing = written;
    return written;
  }

  /** Without a record only progress is worth remembering. */
  async #note(event: WithoutLease<OwnEvent>): Promise<boolean> {
    const { row, task } = this.#current;
    if (event.type === 'beat' && event.progress !== undefined)
      this.#record = { row, task: { ...task, progress: event.progress } };
    return true;
  }

  async #attempt(event: OwnEvent, entries: readonly Entry[]): Promise<boolean> {
    const texts = entries.map((entry) => JSON.stringify(entry));
    const version = newVersion();
    for (let pauseMs = 50; !this.#isEnded; pauseMs = Math.min(pauseMs * 2, 1000)) {
      const begun = this.#host.now();
      try {
        const changed = await this.#host.records.change(this.record, event, texts, version);
        if (typeof changed === 'string') {
          this.#onLost(lostText);
          return false;
        }
        this.#wrote(changed, begun, texts);
        if (event.type !== 'beat' || event.progress !== undefined) this.#host.changed(changed);
        return true;
      } catch (error) {
        if (this.isOverdue) this.#onLost('the store of tasks cannot be reached', error);
        else await this.#host.pause(pauseMs);
      }
    }
    return false;
  }

  #wrote(changed: TaskRecord, begun: number, texts: readonly string[]): void {
    this.#heldAt = begun;
    this.#readAt = begun;
    this.#record = changed;
    this.#count(texts);
  }

  #count(texts: readonly string[]): void {
    this.#entries += texts.length;
    for (const { length } of texts) this.#chars += length;
  }
}

const lostText = 'The task was cancelled, has expired, or is run by another worker.';

const journalFull = (entries: number, chars: number): TenonError =>
  new TenonError('journal-full', `The journal of the task is full: it has ${entries} entries or ${chars} characters.`, {
    hint: 'Store less in steps, return less, or raise tasks.maxJournalChars of createServer().',
  });
