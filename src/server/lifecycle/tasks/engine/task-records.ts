/** Tasks as records of a store: each event is applied to the newest row, and again if another process was faster. */
import { TenonError } from '../../../../lib/errors/tenon-error.ts';
import type { MaybePromise } from '../../../../lib/values/maybe-promise.ts';
import { rpcError } from '../../../../protocol/errors.ts';
import { newTaskId } from '../../../../store/tasks/task-id.ts';
import type { StoredTask, TaskStore } from '../../../../store/tasks/task-store.ts';
import { outcomeEntry } from './entries.ts';
import {
  type Changed,
  changeTask,
  isOver,
  type Refusal,
  type Task,
  type TaskCreator,
  type TaskEvent,
  type TaskRules,
} from './task.ts';
import { deadlineText } from './unclaimed.ts';

/** A task with its row in the store. */
export interface TaskRecord {
  readonly row: StoredTask;
  readonly task: Task;
  /** Set if no worker takes it. */
  readonly waitsFor?: string;
  /** Set when it was claimed. */
  readonly waits?: TaskWaits;
}

/** How long a task waited before a run. */
export interface TaskWaits {
  /** Until a process ran it. */
  readonly queuedMs: number;
  /** Until its input arrived, before it was queued. */
  readonly inputMs?: number;
}

/** A task to be created. */
export interface TaskOrder {
  readonly owner: string;
  readonly kind: string;
  readonly key?: { readonly name: string; readonly digest: string };
  /** The first entries of its journal: the call, and what was done before it became a task. */
  readonly entries: readonly string[];
  readonly ttlMs: number;
  /** After this time it fails, whatever its state. */
  readonly deadlineMs: number;
  readonly pollIntervalMs: number;
  readonly creator?: TaskCreator;
}

/** An event that is written again because a write of it had no answer: that one may have taken effect. */
export interface Unanswered {
  /** The versions that its writes would have made. */
  readonly versions: Set<number>;
  /** How many entries the journal had before it. */
  readonly from: number;
}

/** Two processes that write one task at once conflict a few times. More conflicts mean an error. */
const maxConflicts = 20;

export class TaskRecords {
  readonly #store: TaskStore;
  readonly #rules: TaskRules;

  constructor(store: TaskStore, rules: TaskRules) {
    this.#store = store;
    this.#rules = rules;
  }

  async create(
    order: TaskOrder,
    maxPerOwner: number,
  ): Promise<(TaskRecord & { isNew: boolean }) | 'full' | 'other-call'> {
    const { owner, kind, key, entries, ttlMs, deadlineMs, pollIntervalMs, creator } = order;
    const task: Task = {
      state: { is: 'ready' },
      fence: 0,
      attempts: 0,
      crashes: 0,
      ttlMs,
      pollIntervalMs,
      ...(creator && { creator }),
    };
    const made = await this.#store.create(
      {
        id: newTaskId(owner),
        owner,
        kind,
        ...(key === undefined ? {} : { key }),
        data: written(task),
        entries,
        endsInMs: deadlineMs,
      },
      maxPerOwner,
    );
    return typeof made === 'string' ? made : { ...recordOf(made.task), isNew: made.isNew };
  }

  /** Reads a task of an owner; `undefined` for a task of another one. */
  async read(id: string, owner: string): Promise<TaskRecord | undefined> {
    const row = await this.#store.read(id);
    return row === undefined || row.owner !== owner ? undefined : recordOf(row);
  }

  /** A task of any owner: it must not be shown to others. */
  async find(id: string): Promise<TaskRecord | undefined> {
    const row = await this.#store.read(id);
    return row && recordOf(row);
  }

  readJournal(id: string, from = 0): MaybePromise<readonly string[]> {
    return this.#store.readJournal(id, from);
  }

  /**
   * Applies an event to a task that was read; reads it again if another process has changed it since. A caller that
   * repeats it after an error passes the same `unanswered`.
   */
  async change(
    { row }: TaskRecord,
    event: TaskEvent,
    entries: readonly string[] = [],
    unanswered: Unanswered = { versions: new Set(), from: 0 },
  ): Promise<TaskRecord | Refusal | 'not-found'> {
    let current: StoredTask | undefined = row;
    for (let attempt = 0; attempt < maxConflicts; attempt++) {
      const changed = changeTask(taskOf(current), event, this.#rules, current);
      if (typeof changed === 'string') return changed;
      const version = newVersion();
      unanswered.versions.add(version);
      if (await this.#write(current, version, changed, entries)) return this.#after(current, version, changed);
      unanswered.versions.delete(version);
      current = await this.#store.read(row.id);
      if (current === undefined) return 'not-found';
      if (await this.#hasTakenEffect(current, entries, unanswered)) return recordOf(current);
    }
    throw tooManyConflicts(row.id);
  }

  /** Whether a write without an answer was made: the task has its version, or its entries if others have written since. */
  async #hasTakenEffect(
    { id, version }: StoredTask,
    entries: readonly string[],
    { versions, from }: Unanswered,
  ): Promise<boolean> {
    if (versions.size === 0 || versions.has(version)) return versions.size > 0;
    if (entries.length === 0) return false;
    const journal = await this.#store.readJournal(id, from);
    return entries.every((entry) => journal.includes(entry));
  }

  /** Takes tasks for a worker: those that another worker takes at the same moment are left to it. A task whose workers were lost too often has failed. */
  async claim(kinds: readonly string[], max: number, node: string): Promise<TaskRecord[]> {
    const found = await this.#store.claimable(kinds, max);
    const claims = found.filter(isReadable).map(async (row) => {
      const lease = { node, nonce: crypto.randomUUID() };
      const changed = changeTask(taskOf(row), { type: 'claim', lease }, this.#rules, row);
      if (typeof changed === 'string') return [];
      const { message = '' } = changed.task;
      const entries = isOver(changed.task) ? [failureEntry(message)] : [];
      const version = newVersion();
      const isTaken = await this.#write(row, version, changed, entries);
      return isTaken ? [{ ...this.#after(row, version, changed), waits: waitsOf(row) }] : [];
    });
    return (await Promise.all(claims)).flat();
  }

  /** Fails the tasks whose deadline has passed, and deletes those that are over for long enough. */
  async sweep(max: number, onChange: (record: TaskRecord) => void = () => {}): Promise<void> {
    for (const row of (await this.#store.ending(max)).filter(isReadable)) {
      const record = recordOf(row);
      const message = deadlineText(record, this.#rules.leaseMs);
      const changed = await this.change(record, { type: 'expire', message }, [failureEntry(message)]);
      if (typeof changed !== 'string') onChange(changed);
    }
    await this.#store.deleteEnded(max);
  }

  async list(
    owner: string,
    after: string | undefined,
    max: number,
  ): Promise<{ readonly tasks: readonly TaskRecord[]; readonly next: string | undefined }> {
    const { tasks, next } = await this.#store.list(owner, after, max);
    return { tasks: tasks.filter(isReadable).map(recordOf), next };
  }

  #write(
    row: StoredTask,
    version: number,
    { task, claimInMs, endsInMs }: Changed,
    entries: readonly string[],
  ): MaybePromise<boolean> {
    return this.#store.write(row, {
      version,
      data: written(task),
      claimInMs,
      ...(endsInMs === undefined ? {} : { endsInMs }),
      isOver: isOver(task),
      entries,
    });
  }

  /** The record after a write, without reading it again. */
  #after(row: StoredTask, version: number, { task, endsInMs }: Changed): TaskRecord {
    const { now } = row;
    const endsAt = endsInMs === undefined ? row.endsAt : now + endsInMs;
    const next = { ...row, data: written(task), version, updatedAt: now, endsAt, isOver: isOver(task) };
    return { row: next, task };
  }
}

const failureEntry = (message: string): string => JSON.stringify(outcomeEntry(rpcError('server-error', message)));

/** Random, so that a store that lost its last writes does not reuse a version that a worker remembers. */
const newVersion = (): number => 1 + Math.floor(Math.random() * 2 ** 48);

/** The version of the data of a row; a newer one is refused. */
const dataVersion = 1;

const written = (task: Task): string => JSON.stringify({ v: dataVersion, ...task });

/** A row of a newer version is left to nodes that can read it. */
const isReadable = ({ data }: StoredTask): boolean => (JSON.parse(data) as { readonly v: number }).v <= dataVersion;

export function taskOf({ id, data }: StoredTask): Task {
  const { v, ...task } = JSON.parse(data) as Task & { readonly v: number };
  if (v > dataVersion)
    throw new TenonError('store-too-new', `The task ${id} was written by a newer version of Tenon.`, {
      hint: 'Update Tenon on this node.',
      details: { version: v, known: dataVersion },
    });
  return task;
}

/** The last write made it ready: its creation, its last answer, or the last of a run that was lost. */
function waitsOf(row: StoredTask): TaskWaits {
  const { state, parkedAt } = taskOf(row);
  const queuedMs = Math.max(row.now - row.updatedAt, 0);
  if (state.is !== 'parked' || parkedAt === undefined) return { queuedMs };
  return { queuedMs, inputMs: Math.max(row.updatedAt - parkedAt, 0) };
}

export const recordOf = (row: StoredTask): TaskRecord => ({ row, task: taskOf(row) });

const tooManyConflicts = (id: string): TenonError =>
  new TenonError('store-failed', `The task ${id} was changed by other processes ${maxConflicts} times in a row.`, {
    hint: 'Try again.',
  });
