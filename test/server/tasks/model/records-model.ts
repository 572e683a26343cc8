/** What task records must do, as a model: `changeTask` applied to values in memory, without a store. */
import {
  changeTask,
  isOver,
  type Refusal,
  type Task,
  type TaskEvent,
  type TaskRules,
  takenTask,
} from '../../../../src/server/lifecycle/tasks/engine/task.ts';
import type { ClaimedTask, TaskRecord } from '../../../../src/server/lifecycle/tasks/engine/task-records.ts';

export interface ModelTask {
  readonly id: string;
  readonly owner: string;
  readonly key: string | undefined;
  readonly createdAt: number;
  task: Task;
  /** The task as it was last written; after that workers may have taken it. */
  written: Task;
  /** How many workers have taken it since. */
  takes: number;
  /** As the store reported it: another one after every write. */
  version: string;
  journal: string[];
  claimableAt: number | undefined;
  endsAt: number;
  /** Who looks for tasks past their deadline finds it from then on. */
  endingAt: number;
}

export const rules: TaskRules = { leaseMs: 15_000, maxCrashes: 2, retentionMs: 600_000 };

export class RecordsModel {
  readonly tasks = new Map<string, ModelTask>();
  now: number;

  constructor(now: number) {
    this.now = now;
  }

  /** What has been over long enough is gone. */
  advance(ms: number): void {
    this.now += ms;
    for (const { id, task, endsAt } of this.tasks.values())
      if (isOver(task) && endsAt <= this.now) this.tasks.delete(id);
  }

  byKey(owner: string, key: string): ModelTask | undefined {
    return [...this.tasks.values()].find((task) => task.owner === owner && task.key === key);
  }

  add({ row, task }: TaskRecord, key: string | undefined, entries: readonly string[], deadlineMs: number): void {
    const { id, owner } = row;
    const times = {
      createdAt: this.now,
      claimableAt: this.now,
      endsAt: this.now + deadlineMs,
      endingAt: this.now + deadlineMs,
    };
    this.tasks.set(id, {
      id,
      owner,
      key,
      task,
      written: task,
      takes: 0,
      version: row.version,
      journal: [...entries],
      ...times,
    });
  }

  /** What the store must show, by owner and in the order of creation. */
  shown(): Pick<ModelTask, 'id' | 'owner' | 'task' | 'version' | 'journal'>[] {
    const all = [...this.tasks.values()].toSorted((one, other) => one.owner.localeCompare(other.owner));
    return all.map(({ id, owner, task, version, journal }) => ({ id, owner, task, version, journal }));
  }

  /** What was written has a new version. */
  written({ row }: TaskRecord): void {
    const model = this.tasks.get(row.id);
    if (model !== undefined) model.version = row.version;
  }

  /** Those that a worker may take, of suspects or of others, the longest waiting first. */
  claimable(areSuspects: boolean): ModelTask[] {
    const due = [...this.tasks.values()].filter(
      ({ claimableAt, written }) =>
        claimableAt !== undefined && claimableAt <= this.now && (written.suspect !== undefined) === areSuspects,
    );
    return due.sort((one, other) => (one.claimableAt ?? 0) - (other.claimableAt ?? 0));
  }

  /** A worker takes a task. Returns whether the worker runs it. */
  take(model: ModelTask, { lease, row }: ClaimedTask): boolean {
    model.takes++;
    model.task = takenTask(model.written, lease, { count: model.takes, at: this.now });
    model.version = row.version;
    model.claimableAt = this.now + rules.leaseMs;
    return (model.task.suspect?.crashes ?? 0) <= rules.maxCrashes && model.endsAt > this.now;
  }

  /** What a change must come to, by a record that may be older than the task. */
  change({ row, task: seen }: TaskRecord, event: TaskEvent, entries: readonly string[]): Task | Refusal | 'not-found' {
    const early = changeTask(seen, event, rules, row);
    if (typeof early === 'string') return early;
    const task = this.tasks.get(row.id);
    if (task === undefined) return 'not-found';
    const isCurrent = task.version === row.version;
    return this.apply(task, event, entries, isCurrent ? row.now : this.now);
  }

  apply(model: ModelTask, event: TaskEvent, entries: readonly string[], now: number): Task | Refusal {
    const changed = changeTask(model.task, event, rules, { createdAt: model.createdAt, now });
    if (typeof changed === 'string') return changed;
    const { task, claimInMs, endsInMs } = changed;
    model.task = task;
    model.written = task;
    model.takes = 0;
    model.journal.push(...entries);
    model.claimableAt = claimInMs === undefined ? undefined : this.now + claimInMs;
    if (endsInMs !== undefined) model.endsAt = this.now + endsInMs;
    return task;
  }

  /** Takes what has passed its deadline from workers that have taken it and not written it. */
  takeEnding(): ModelTask[] {
    const late = [...this.tasks.values()].filter(({ task, endingAt }) => !isOver(task) && endingAt <= this.now);
    for (const model of late) {
      model.task = model.written;
      model.takes = 0;
      model.endingAt = this.now + rules.leaseMs;
    }
    return late;
  }

  /** Ends what has passed its deadline; returns the IDs. */
  sweep(messageOf: (id: string) => string): string[] {
    const late = this.takeEnding();
    for (const model of late) {
      this.apply(model, { type: 'expire', message: messageOf(model.id) }, ['expired'], this.now);
    }
    return late.map(({ id }) => id);
  }
}
