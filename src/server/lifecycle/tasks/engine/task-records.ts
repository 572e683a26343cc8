/** Tasks as records of a store: each event is applied to the newest row, and again if another process was faster. */
import type { RpcError } from '../../../../jsonrpc/errors.ts';
import { TenonError } from '../../../../lib/errors/tenon-error.ts';
import type { MaybePromise } from '../../../../lib/values/maybe-promise.ts';
import { outcomeLostData } from '../../../../protocol/error-data.ts';
import { rpcError } from '../../../../protocol/errors.ts';
import { newTaskId } from '../../../../store/parts/task-id.ts';
import type { StoredTask, TaskCreation, TaskHint, TaskRoom, TaskStore } from '../../../../store/task-store.ts';
import { outcomeEntry } from './entries.ts';
import {
  type Changed,
  changeTask,
  isOver,
  type Lease,
  type Refusal,
  type Task,
  type TaskCreator,
  type TaskEvent,
  type TaskRules,
  takenTask,
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

/** A task that a worker has claimed, with the texts of its journal. */
export interface ClaimedTask extends TaskRecord {
  readonly lease: Lease;
  readonly texts: readonly string[];
  /** The error with which the worker fails it instead of running it. */
  readonly failure?: RpcError;
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
  /** Whose share it counts for. Default the owner. */
  readonly share?: string;
  readonly kind: string;
  readonly key?: { readonly name: string; readonly digest: string };
  /** The first entries of its journal: the call, and what was done before it became a task. */
  readonly entries: readonly string[];
  readonly ttlMs: number;
  /** After this time it fails, whatever its state. */
  readonly deadlineMs: number;
  readonly pollIntervalMs: number;
  readonly description?: string;
  readonly tool?: string;
  readonly creator?: TaskCreator;
  /** Set if its first run has begun in this process. */
  readonly begun?: BegunRun;
}

/** Why no task was created. */
export type TaskRefusal = Extract<TaskCreation, string>;

/** The first run of a task that is created while it runs, or right before. */
export interface BegunRun extends Pick<Task, 'isUnannounced' | 'progress'> {
  /** The ID of the task, which its steps have in their keys. */
  readonly id: string;
  readonly lease: Lease;
}

/** Two processes that write one task at once conflict a few times. More conflicts mean an error. */
const maxConflicts = 20;

/** How long a task that this process cannot read is left to others. */
const handBackMs = 1000;

export class TaskRecords {
  readonly #store: TaskStore;
  readonly #rules: TaskRules;
  /** The message for other processes that is published with a change of a task. */
  readonly #hintOf: (id: string, task: Task, now: number) => TaskHint | undefined;

  constructor(
    store: TaskStore,
    rules: TaskRules,
    hintOf: (id: string, task: Task, now: number) => TaskHint | undefined = () => undefined,
  ) {
    this.#store = store;
    this.#rules = rules;
    this.#hintOf = hintOf;
  }

  async create(order: TaskOrder, room: TaskRoom): Promise<(TaskRecord & { isNew: boolean }) | TaskRefusal> {
    const { owner, share, kind, key, entries, ttlMs, deadlineMs, pollIntervalMs, creator, begun } = order;
    const { description, tool } = order;
    const task: Task = {
      ...(begun === undefined ? unbegun : begunTask(begun)),
      crashes: 0,
      ttlMs,
      pollIntervalMs,
      ...(description !== undefined && { description }),
      ...(tool !== undefined && { tool }),
      ...(creator && { creator }),
    };
    const id = begun?.id ?? newTaskId(owner);
    const made = await this.#store.create(
      {
        id,
        ...this.#hinting(id, task, 0),
        owner,
        ...(share === undefined ? {} : { share }),
        kind,
        ...(key === undefined ? {} : { key }),
        data: written(task),
        entries,
        ...(begun && { claimInMs: this.#rules.leaseMs }),
        endsInMs: deadlineMs,
      },
      room,
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
   * Applies an event to a task that was read; reads it again if another process has changed it since. A caller
   * that tries again after an error passes the same version: a task that has it was written by the attempt before.
   */
  async change(
    { row }: TaskRecord,
    event: TaskEvent,
    entries: readonly string[] = [],
    version: string = newVersion(),
  ): Promise<TaskRecord | Refusal | 'not-found'> {
    let current: StoredTask | undefined = row;
    for (let attempt = 0; attempt < maxConflicts; attempt++) {
      const changed = changeTask(taskOf(current), event, this.#rules, current);
      if (typeof changed === 'string') return changed;
      const hint = isQuiet(event) ? {} : this.#hinting(row.id, changed.task, current.now);
      if (await this.#write(current, version, changed, entries, hint))
        return this.#after(current, version, changed, entries);
      current = await this.#store.read(row.id);
      if (current === undefined) return 'not-found';
      if (current.version === version) return recordOf(current);
    }
    throw tooManyConflicts(row.id);
  }

  /** Takes tasks for a worker, which writes nothing before they have something to write. */
  claim(kinds: readonly string[], max: number, node: string): Promise<ClaimedTask[]> {
    return this.#claim(kinds, max, node);
  }

  /** Takes a suspect for a worker that runs none. */
  async claimSuspect(kinds: readonly string[], node: string): Promise<ClaimedTask | undefined> {
    const [found] = await this.#claim(kinds.map(suspectsOf), 1, node);
    return found;
  }

  async #claim(queues: readonly string[], max: number, node: string): Promise<ClaimedTask[]> {
    const found = await this.#store.take(queues, max, newHolder(node), this.#rules.leaseMs);
    // If one cannot be handed back, its lease lapses.
    await Promise.allSettled(found.filter(({ task }) => !isReadable(task)).map(({ task }) => this.#handBack(task)));
    return found
      .filter(({ task }) => isReadable(task))
      .map(({ task: row, entries }) => {
        const record = recordOf(row);
        const failure = this.#failureOf(record);
        const claimed = { ...record, lease: leaseOf(row), waits: waitsOf(row), texts: entries };
        return failure === undefined ? claimed : { ...claimed, failure };
      });
  }

  /** As it was before: its workers can read it, and this one is not counted as lost. */
  async #handBack(row: StoredTask): Promise<void> {
    const { data, isOver, queue } = row;
    await this.#store.write(row, { data, isOver, queue, claimInMs: handBackMs, entries: [] });
  }

  /** No run begins after the deadline, nor after too many that were lost, nor if no client knows of the task. */
  #failureOf({ row, task }: TaskRecord): RpcError | undefined {
    const { leaseMs, maxCrashes } = this.#rules;
    if (task.isUnannounced) return runLost();
    const { crashes = 0 } = task.suspect ?? {};
    if (crashes > maxCrashes) return rpcError('server-error', `The process of this task was lost ${crashes} times`);
    if (row.endsAt > row.now) return undefined;
    return rpcError('server-error', deadlineText(recordOf({ ...row, taken: undefined }), leaseMs));
  }

  /** Fails the tasks whose deadline has passed. */
  async sweep(max: number, node: string, onChange: (record: TaskRecord) => void = () => {}): Promise<void> {
    const found = await this.#store.takeEnding(max, newHolder(node), this.#rules.leaseMs);
    for (const { task: row } of found.filter(({ task }) => isReadable(task))) {
      const record = recordOf(row);
      const message = deadlineText(record, this.#rules.leaseMs);
      const changed = await this.change(record, { type: 'expire', message }, [failureEntry(message)]);
      if (typeof changed !== 'string') onChange(changed);
    }
  }

  async list(
    owner: string,
    after: string | undefined,
    max: number,
  ): Promise<{ readonly tasks: readonly TaskRecord[]; readonly next: string | undefined }> {
    const { tasks, next } = await this.#store.list(owner, after, max);
    return { tasks: tasks.filter(isReadable).map(recordOf), next };
  }

  #hinting(id: string, task: Task, now: number): { readonly hint?: TaskHint } {
    const hint = this.#hintOf(id, task, now);
    return hint === undefined ? {} : { hint };
  }

  #write(
    row: StoredTask,
    version: string,
    { task, claimInMs, endsInMs }: Changed,
    entries: readonly string[],
    hint: { readonly hint?: TaskHint },
  ): MaybePromise<boolean> {
    const { journals: room } = this.#rules;
    return this.#store.write(row, {
      version,
      data: written(task),
      claimInMs,
      queue: queueOf(row.kind, task),
      ...(endsInMs === undefined ? {} : { endsInMs }),
      isOver: isOver(task),
      ...(room && { room }),
      entries,
      ...hint,
    });
  }

  /** The record after a write, without reading it again. */
  #after(
    { taken: _taken, journalChars = 0, ...row }: StoredTask,
    version: string,
    { task, endsInMs }: Changed,
    entries: readonly string[],
  ): TaskRecord {
    const { now } = row;
    const chars = entries.reduce((sum, { length }) => sum + length, journalChars);
    const endsAt = endsInMs === undefined ? row.endsAt : now + endsInMs;
    const queue = queueOf(row.kind, task);
    const next = { ...row, queue, data: written(task), version, updatedAt: now, endsAt, isOver: isOver(task) };
    return { row: { ...next, journalChars: chars }, task };
  }
}

/** The queue of suspects of a kind, which is at most as long as names of queues may be. */
const suspectsOf = (kind: string): string => `!${kind}`.slice(0, 256);

const queueOf = (kind: string, { suspect }: Task): string => (suspect === undefined ? kind : suspectsOf(kind));

/** The state of a task that waits for its first run. */
const unbegun = { state: { is: 'ready' }, fence: 0, attempts: 0 } as const;

const begunTask = ({ lease, isUnannounced, progress }: BegunRun): Pick<Task, 'state' | 'fence' | 'attempts'> => ({
  state: { is: 'running', lease },
  fence: 1,
  attempts: 1,
  ...(isUnannounced && { isUnannounced }),
  ...(progress && { progress }),
});

/** The process that received the call was lost before its caller had the task. */
const runLost = (): RpcError =>
  rpcError(
    'server-error',
    'The process that ran this call was lost: whether the call was carried out is unknown. It does not run again.',
    outcomeLostData,
  );

/** A worker that only renews its lease, or adds to the journal. */
const isQuiet = (event: TaskEvent): boolean => event.type === 'beat' && event.progress === undefined;

const failureEntry = (message: string): string => JSON.stringify(outcomeEntry(rpcError('server-error', message)));

/** Random, so that a store that lost its last writes does not reuse a version that a worker remembers. */
export const newVersion = (): string => crypto.randomUUID();

/** Names the lease of what is taken: the node, and a part that no other lease has. */
export const newHolder = (node: string): string => `${node} ${crypto.randomUUID()}`;

/** The version of the data of a row; a newer one is refused. */
const dataVersion = 1;

const written = (task: Task): string => JSON.stringify({ v: dataVersion, ...task });

/** A row of a newer version is left to nodes that can read it. */
const isReadable = ({ data }: StoredTask): boolean => (JSON.parse(data) as { readonly v: number }).v <= dataVersion;

/** The task of a row. One that was taken runs, though its worker has not written that. */
export function taskOf(row: StoredTask): Task {
  const written = writtenTask(row);
  if (row.taken === undefined) return written;
  return takenTask(written, leaseOf(row), row.taken);
}

/** The lease of the worker that has taken a task. */
function leaseOf({ version }: StoredTask): Lease {
  const [node = ''] = version.split(' ');
  return { node, nonce: version };
}

function writtenTask({ id, data }: StoredTask): Task {
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
  const { state, parkedAt } = writtenTask(row);
  const queuedMs = Math.max(row.now - row.updatedAt, 0);
  if (state.is !== 'parked' || parkedAt === undefined) return { queuedMs };
  return { queuedMs, inputMs: Math.max(row.updatedAt - parkedAt, 0) };
}

export const recordOf = (row: StoredTask): TaskRecord => ({ row, task: taskOf(row) });

const tooManyConflicts = (id: string): TenonError =>
  new TenonError('store-failed', `The task ${id} was changed by other processes ${maxConflicts} times in a row.`, {
    hint: 'Try again.',
  });
