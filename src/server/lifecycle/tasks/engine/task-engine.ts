/** The tasks of one server in one store: creates, runs, follows, answers and cancels them. */
import { type Clock, systemClock } from '../../../../lib/time/deadlines.ts';
import type { Fields } from '../../../../lib/values/is.ts';
import { runInBackground } from '../../../../lib/values/maybe-promise.ts';
import type { Revision } from '../../../../protocol/revision.ts';
import type { MessageBus } from '../../../../store/message-bus.ts';
import type { JournalRoom, TaskRoom, TaskStore } from '../../../../store/task-store.ts';
import type { Serving } from '../../../kernel/serving.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { TaskLimitSettings } from '../../../ports/option-settings.ts';
import { answerEntry, deletedJournal, firstEntries, readJournal, type TaskCall, type TaskJournal } from './entries.ts';
import { ReceivedCalls } from './received-calls.ts';
import { isOver, openOf, type Refusal, type Task } from './task.ts';
import { type TaskOrder, type TaskRecord, TaskRecords, type TaskRefusal } from './task-records.ts';
import { TaskWorker, type WorkerSettings } from './task-worker.ts';
import { waitingText } from './unclaimed.ts';

export interface TaskSettings extends WorkerSettings {
  /** A task that its workers are lost with more often while it is their suspect fails. */
  readonly maxCrashes: number;
  /** How long the outcome of a task is stored at least. */
  readonly retentionMs: number;
  /** How many tasks are stored. */
  readonly room: TaskRoom;
  /** How much is stored of those that have finished. */
  readonly journals: JournalRoom;
}

export const taskSettings = ({
  maxConcurrent,
  maxPerPrincipal,
  leaseMs,
  maxCrashes,
  retentionMs,
  maxJournalEntries,
  maxJournalChars,
  maxStoredPerCaller,
  maxStored,
  maxResultsPerCaller,
  maxResultCharsPerCaller,
  maxResultChars,
}: TaskLimitSettings): TaskSettings => ({
  maxRuns: maxConcurrent,
  leaseMs,
  pollMs: 1000,
  maxCrashes,
  retentionMs,
  room: {
    maxLive: maxPerPrincipal,
    maxStored: maxStoredPerCaller,
    maxInShard: maxStored,
    maxLiveChars: maxResultCharsPerCaller,
    maxCharsInShard: maxResultChars,
  },
  journals: { maxJournals: maxResultsPerCaller, maxChars: maxResultCharsPerCaller },
  journal: { maxEntries: maxJournalEntries, maxChars: maxJournalChars },
});

export interface EnginePorts {
  readonly serving: Serving;
  readonly tasks: TaskStore;
  readonly bus: MessageBus;
  kinds(): readonly string[];
  revision(id: string): Revision | undefined;
  /** A task has changed, in this process or another; if it is absent, any task may have changed. */
  changed?(changed: ChangedTask | undefined): void;
  readonly clock?: Clock;
  /** From 0 to 1. */
  random?(): number;
}

/** A task that has changed. `record` is absent if another process changed it. */
export interface ChangedTask extends Pick<Hint, 'id' | 'session'> {
  readonly record?: TaskRecord;
}

/** A task with its journal. */
export interface TaskView extends TaskRecord {
  readonly journal: TaskJournal;
}

/** A hint for other processes. They read the task from the store. */
interface Hint {
  readonly from: string;
  readonly id: string;
  readonly isReady: boolean;
  /** The session that created it. */
  readonly session?: string;
}

const topic = 'tenon/tasks';

/** Tasks of an owner that are read together. */
const pageSize = 100;

export class TaskEngine {
  readonly node: string = crypto.randomUUID();
  /** Runs calls that arrive here. */
  readonly received: ReceivedCalls;
  readonly #ports: EnginePorts;
  readonly #settings: TaskSettings;
  readonly #records: TaskRecords;
  readonly #worker: TaskWorker;
  readonly #followers = new Map<string, Set<() => void>>();
  #unsubscribe: (() => void) | undefined;
  #isClosed = false;

  constructor(ports: EnginePorts, settings: TaskSettings) {
    const { leaseMs, maxCrashes, retentionMs, journals } = settings;
    this.#ports = ports;
    this.#settings = settings;
    this.#records = new TaskRecords(ports.tasks, { leaseMs, maxCrashes, retentionMs, journals }, (id, task, now) => ({
      topic,
      text: JSON.stringify(this.#hintOf(id, task, now)),
    }));
    this.#worker = new TaskWorker(
      {
        serving: ports.serving,
        records: this.#records,
        clock: ports.clock ?? systemClock,
        random: ports.random ?? Math.random,
        node: this.node,
        kinds: ports.kinds,
        revision: ports.revision,
        changed: (record) => this.#changed(record),
      },
      settings,
    );
    this.received = new ReceivedCalls(this.node, this.#worker, this.#records, settings.room);
  }

  /** Begins to run tasks. */
  start(): void {
    runInBackground(async () => {
      const hinted = (text: string): void => this.#hinted(JSON.parse(text) as Hint);
      const stop = await this.#ports.bus.subscribe(topic, hinted, () => this.#missed());
      if (this.#isClosed) stop();
      else this.#unsubscribe = stop;
    }, this.#failed);
    this.#worker.start();
  }

  /** Hands its tasks to other processes, after the steps in flight. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker.close();
    this.#unsubscribe?.();
    this.#followers.clear();
  }

  async create(
    order: Omit<TaskOrder, 'entries'> & { readonly call: TaskCall; readonly journal?: Journal | undefined },
  ): Promise<(TaskRecord & { readonly isNew: boolean }) | TaskRefusal> {
    const { call, journal, ...rest } = order;
    const entries = firstEntries(call, journal);
    const made = await this.#records.create({ ...rest, entries }, this.#settings.room);
    if (typeof made !== 'string' && made.isNew) this.#changed(made);
    return made;
  }

  /** How many tasks run here. */
  get running(): number {
    return this.#worker.running;
  }

  /** A task of any owner. */
  find(id: string): Promise<TaskRecord | undefined> {
    return this.#records.find(id);
  }

  async read(id: string, owner: string): Promise<TaskRecord | undefined> {
    const record = await this.#records.read(id, owner);
    return record && this.#explained(record);
  }

  /** Adds what a task waits for if no process takes it. */
  #explained(record: TaskRecord): TaskRecord {
    const waitsFor = waitingText(record, this.#ports.kinds(), this.#settings.leaseMs);
    return waitsFor === undefined ? record : { ...record, waitsFor };
  }

  /** A task with its journal: its open requests, its outcome. */
  async view(id: string, owner: string): Promise<TaskView | undefined> {
    const record = await this.read(id, owner);
    if (record === undefined) return undefined;
    // Read after the row, so the journal is at least as new.
    const texts = await this.#records.readJournal(id);
    if (texts.length > 0) return { ...record, journal: readJournal(id, texts) };
    // The task has expired, or has finished, also in between, and its journal was deleted for room.
    const later = await this.#records.read(id, owner);
    return later && isOver(later.task) ? { ...later, journal: deletedJournal(id) } : undefined;
  }

  async list(owner: string, after: string | undefined, max: number) {
    const { tasks, next } = await this.#records.list(owner, after, max);
    return { tasks: tasks.map((record) => this.#explained(record)), next };
  }

  /** Stores answers to open requests, by the keys of the client; others are ignored. */
  async answer(record: TaskRecord, answers: Readonly<Fields>): Promise<TaskRecord | Refusal | 'not-found'> {
    const open = openOf(record.task).filter((key) => Object.hasOwn(answers, key));
    if (open.length === 0) return isOver(record.task) ? 'over' : 'not-now';
    const texts = open.map((key) => JSON.stringify(answerEntry(key, answers[key])));
    const changed = await this.#records.change(record, { type: 'answer', keys: open }, texts);
    if (typeof changed !== 'string') this.#changed(changed);
    return changed;
  }

  async cancel(record: TaskRecord): Promise<TaskRecord | Refusal | 'not-found'> {
    const changed = await this.#records.change(record, { type: 'cancel' });
    if (typeof changed === 'string') return changed;
    this.#changed(changed);
    this.#worker.check(changed.row.id);
    return changed;
  }

  /** Cancels every task of an owner; those without an owner are not one owner's. */
  async cancelAll(owner: string): Promise<void> {
    if (owner === '') return;
    let after: string | undefined;
    do {
      const { tasks, next } = await this.#records.list(owner, after, pageSize);
      for (const record of tasks) if (!isOver(record.task)) await this.cancel(record);
      after = next;
    } while (after !== undefined);
  }

  /** Calls back when a task may have changed. Returns a function that stops. */
  follow(id: string, onChange: () => void): () => void {
    const followers = this.#followers.get(id) ?? new Set();
    this.#followers.set(id, followers);
    followers.add(onChange);
    return () => {
      followers.delete(onChange);
      if (followers.size === 0 && this.#followers.get(id) === followers) this.#followers.delete(id);
    };
  }

  /** Other processes get the hint with the write. */
  #changed(record: TaskRecord): void {
    const { row, task } = record;
    this.#notify({ ...this.#hintOf(row.id, task, row.now), record });
  }

  #hintOf(id: string, { state, creator }: Task, now: number): Hint {
    const isReady = state.is === 'ready' || (state.is === 'parked' && (state.wakeAt ?? Infinity) <= now);
    return { from: this.node, id, isReady, ...(creator && { session: creator.session }) };
  }

  #hinted(hint: Hint): void {
    if (hint.from === this.node) return;
    this.#notify(hint);
    this.#worker.check(hint.id);
  }

  #notify(changed: Hint & ChangedTask): void {
    for (const onChange of this.#followers.get(changed.id) ?? []) onChange();
    this.#ports.changed?.(changed);
    if (changed.isReady) this.#worker.wake();
  }

  /** Hints may be lost: followers read their tasks again. */
  #missed(): void {
    for (const followers of this.#followers.values()) for (const onChange of followers) onChange();
    this.#ports.changed?.(undefined);
    this.#worker.wake();
  }

  readonly #failed = (error: unknown): void => this.#ports.serving.failed(error, { method: 'tasks', target: '' });
}
