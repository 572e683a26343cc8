/** Sends commands to task records on a store and to their model, and compares what comes of them. */
import assert from 'node:assert/strict';
import type { TaskEvent } from '../../../../src/server/lifecycle/tasks/engine/task.ts';
import {
  type ClaimedTask,
  type TaskRecord,
  TaskRecords,
} from '../../../../src/server/lifecycle/tasks/engine/task-records.ts';
import { type ModelTask, RecordsModel, rules } from './records-model.ts';
import type { TestedStore } from './task-stores.ts';

const deadlineMs = 120_000;
const kind = 'shop/report';
const maxPerOwner = 5;
const room = { maxLive: maxPerOwner, maxStored: 10_000, maxInShard: 10_000 };

/** A task as its owner finds it. */
type ShownTask = Omit<ReturnType<RecordsModel['shown']>[number], 'journal'> & { readonly journal: readonly string[] };

/** Sends the same commands to task records and to their model. */
export class Comparison {
  readonly model = new RecordsModel(1_700_000_000_000);
  #records!: TaskRecords;
  #store!: TestedStore;
  /** Every record that was ever seen: a process may use any of them later. */
  readonly #seen: TaskRecord[] = [];
  #entries = 0;

  async open(open: (now: () => number) => Promise<TestedStore>): Promise<void> {
    this.#store = await open(() => this.model.now);
    this.#records = new TaskRecords(this.#store.tasks, rules);
  }

  close = (): Promise<void> => this.#store.close();

  async create(owner: string, key: string | undefined): Promise<void> {
    const { model } = this;
    const entries = [`call ${++this.#entries}`];
    const earlier = key === undefined ? undefined : model.byKey(owner, key);
    const live = [...model.tasks.values()].filter((task) => task.owner === owner && !this.#isOver(task.task)).length;
    const named = key === undefined ? {} : { key: { name: key, digest: 'd' } };
    const order = { owner, kind, ...named, entries, ttlMs: 60_000, deadlineMs, pollIntervalMs: 1000 };
    const made = await this.#records.create(order, room);
    if (earlier === undefined && live >= maxPerOwner) return assert.equal(made, 'full');
    if (typeof made === 'string') return assert.fail(made);
    assert.equal(made.isNew, earlier === undefined);
    if (earlier === undefined) model.add(made, key, entries, deadlineMs);
    else assert.equal(made.row.id, earlier.id);
    this.#seen.push(made);
  }

  async claim(node: string, max: number): Promise<void> {
    const due = this.model.claimable(false);
    const claimed = await this.#records.claim([kind], max, node);
    assert.equal(claimed.length, Math.min(max, due.length));
    await this.#claimed(due, claimed);
  }

  async claimSuspect(node: string): Promise<void> {
    const due = this.model.claimable(true);
    const claimed = await this.#records.claimSuspect([kind], node);
    assert.equal(claimed === undefined, due.length === 0);
    if (claimed !== undefined) await this.#claimed(due, [claimed]);
  }

  async #claimed(due: readonly ModelTask[], claimed: readonly ClaimedTask[]): Promise<void> {
    for (const record of claimed) {
      const model = this.model.tasks.get(record.row.id);
      if (model === undefined || !due.includes(model)) return assert.fail('a task was claimed that is not due');
      assert.deepEqual(record.texts, model.journal);
      const isRun = this.model.take(model, record);
      assert.deepEqual(record.task, model.task);
      assert.deepEqual(record.task.state, { ...record.task.state, is: 'running', lease: record.lease });
      this.#seen.push(record);
      const { failure, lease } = record;
      assert.equal(failure === undefined, isRun);
      // Its worker fails it.
      if (failure !== undefined)
        await this.#change(record, { type: 'finish', lease, state: 'failed', message: failure.message });
    }
  }

  /** An event by a record that is as old as `age` says: 0 is the newest. */
  async change(age: number, eventOf: (record: TaskRecord) => TaskEvent | undefined): Promise<void> {
    const record = this.#seen.at(-1 - (age % Math.max(this.#seen.length, 1)));
    const event = record && eventOf(record);
    if (record !== undefined && event !== undefined) await this.#change(record, event);
  }

  async #change(record: TaskRecord, event: TaskEvent): Promise<void> {
    const entries = [`entry ${++this.#entries}`];
    const expected = this.model.change(record, event, entries);
    const changed = await this.#records.change(record, event, entries);
    assert.deepEqual(typeof changed === 'string' ? changed : changed.task, expected);
    if (typeof changed !== 'string') this.#written(changed);
  }

  async sweep(): Promise<void> {
    const messages = new Map<string, string>();
    await this.#records.sweep(100, 'n1', (record) => {
      messages.set(record.row.id, record.task.message ?? '');
      this.model.written(record);
    });
    const late = [...messages.keys()];
    const expected = this.model.sweep((id) => messages.get(id) ?? '');
    assert.deepEqual(late.toSorted(), expected.toSorted());
    // Its text is the engine's own.
    for (const id of late) {
      const model = this.model.tasks.get(id);
      if (model !== undefined) model.journal.splice(-1, 1, ...(await this.#journal(id)).slice(-1));
    }
  }

  /** A process that is lost before it ends what it has found. */
  async loseSweeper(): Promise<void> {
    const holder = `lost ${++this.#entries}`;
    const taken = await this.#store.tasks.takeEnding(100, holder, rules.leaseMs);
    const expected = this.model.takeEnding();
    assert.deepEqual(taken.map(({ task }) => task.id).toSorted(), expected.map(({ id }) => id).toSorted());
    for (const model of expected) model.version = holder;
  }

  #written(record: TaskRecord): void {
    this.model.written(record);
    this.#seen.push(record);
  }

  /** What the store shows to each owner, and to no other. */
  async stored(): Promise<readonly ShownTask[]> {
    const shown: ShownTask[] = [];
    for (const [owner, other] of [
      ['ann', 'bob'],
      ['bob', 'ann'],
    ] as const) {
      const { tasks } = await this.#records.list(owner, undefined, 1000);
      for (const { row } of tasks) {
        const found = await this.#records.read(row.id, owner);
        assert.equal(await this.#records.read(row.id, other), undefined);
        if (found === undefined) return assert.fail('a task is listed that is not there');
        const { task } = found;
        shown.push({ id: row.id, owner, task, version: found.row.version, journal: await this.#journal(row.id) });
      }
    }
    return shown;
  }

  readonly #isOver = ({ state }: TaskRecord['task']): boolean =>
    ['completed', 'failed', 'cancelled'].includes(state.is);
  readonly #journal = async (id: string): Promise<readonly string[]> => this.#records.readJournal(id);
}
