/** Task records on a real store against their model: any sequence of events, with records that are out of date. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TaskEvent } from '../../../../src/server/lifecycle/tasks/engine/task.ts';
import { type TaskRecord, TaskRecords } from '../../../../src/server/lifecycle/tasks/engine/task-records.ts';
import { scaled } from '../../../kit/long.ts';
import { RecordsModel, rules } from './records-model.ts';
import { type TestedStore, testedStores } from './task-stores.ts';

const deadlineMs = 120_000;
const kind = 'shop/report';
const maxPerOwner = 5;

/** Sends the same commands to task records and to their model. */
class Comparison {
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
    const made = await this.#records.create(order, maxPerOwner);
    if (earlier === undefined && live >= maxPerOwner) return expect(made).toBe('full');
    if (typeof made === 'string') return expect.fail(made);
    expect(made.isNew).toBe(earlier === undefined);
    if (earlier === undefined) model.add(made, key, entries, deadlineMs);
    else expect(made.row.id).toBe(earlier.id);
    this.#seen.push(made);
  }

  async claim(node: string, max: number): Promise<void> {
    const due = this.model.claimable;
    const claimed = await this.#records.claim([kind], max, node);
    expect(claimed).toHaveLength(Math.min(max, due.length));
    for (const record of claimed) {
      const model = this.model.tasks.get(record.row.id);
      const { state } = record.task;
      if (model === undefined || !due.includes(model)) return expect.fail('a task was claimed that is not due');
      const lease = state.is === 'running' ? state.lease : { node, nonce: '' };
      const task = this.model.apply(model, { type: 'claim', lease }, [], this.model.now);
      // The entry that says why it failed is the store's own.
      if (state.is === 'failed') model.journal.push(...(await this.#journal(model.id)).slice(-1));
      expect(record.task).toEqual(task);
      this.#written(record);
    }
  }

  /** An event by a record that is as old as `age` says: 0 is the newest. */
  async change(age: number, eventOf: (record: TaskRecord) => TaskEvent | undefined): Promise<void> {
    const record = this.#seen.at(-1 - (age % Math.max(this.#seen.length, 1)));
    const event = record && eventOf(record);
    if (record === undefined || event === undefined) return;
    const entries = [`entry ${++this.#entries}`];
    const expected = this.model.change(record, event, entries);
    const changed = await this.#records.change(record, event, entries);
    expect(typeof changed === 'string' ? changed : changed.task).toEqual(expected);
    if (typeof changed !== 'string') this.#written(changed);
  }

  async sweep(): Promise<void> {
    const messages = new Map<string, string>();
    await this.#records.sweep(100, (record) => {
      messages.set(record.row.id, record.task.message ?? '');
      this.model.written(record);
    });
    const late = [...messages.keys()];
    const expected = this.model.sweep((id) => messages.get(id) ?? '');
    expect(late.toSorted()).toEqual(expected.toSorted());
    // Its text is the engine's own.
    for (const id of late) {
      const model = this.model.tasks.get(id);
      if (model !== undefined) model.journal.splice(-1, 1, ...(await this.#journal(id)).slice(-1));
    }
  }

  #written(record: TaskRecord): void {
    this.model.written(record);
    this.#seen.push(record);
  }

  /** Whether the store has what the model has, and shows it to its owner only. */
  async compare(): Promise<void> {
    for (const { id, owner, task, version, journal } of this.model.tasks.values()) {
      const found = await this.#records.read(id, owner);
      expect(found?.task).toEqual(task);
      expect(found?.row.version).toBe(version);
      expect(await this.#journal(id)).toEqual(journal);
      expect(await this.#records.read(id, `not ${owner}`)).toBeUndefined();
    }
    for (const owner of ['ann', 'bob']) {
      const own = [...this.model.tasks.values()].filter((task) => task.owner === owner);
      const { tasks } = await this.#records.list(owner, undefined, 1000);
      expect(tasks.map(({ row }) => row.id)).toEqual(own.map(({ id }) => id));
    }
  }

  readonly #isOver = ({ state }: TaskRecord['task']): boolean =>
    ['completed', 'failed', 'cancelled'].includes(state.is);
  readonly #journal = async (id: string): Promise<readonly string[]> => this.#records.readJournal(id);
}

type Command = (comparison: Comparison) => Promise<void>;

/** An event of the worker that the record names, or names no more. */
const own = (make: (lease: { readonly node: string; readonly nonce: string }) => TaskEvent) => (record: TaskRecord) => {
  const { state } = record.task;
  return state.is === 'running' ? make(state.lease) : undefined;
};

const age = fc.nat({ max: 6 });
const changes = (eventOf: (record: TaskRecord) => TaskEvent | undefined): fc.Arbitrary<Command> =>
  age.map((old) => (comparison) => comparison.change(old, eventOf));

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.tuple(fc.constantFrom('ann', 'bob'), fc.constantFrom(undefined, undefined, 'k1', 'k2')).map(
    ([owner, key]): Command =>
      (comparison) =>
        comparison.create(owner, key),
  ),
  fc.tuple(fc.constantFrom('n1', 'n2'), fc.integer({ min: 1, max: 3 })).map(
    ([node, max]): Command =>
      (comparison) =>
        comparison.claim(node, max),
  ),
  changes(own((lease) => ({ type: 'beat', lease, progress: { progress: 1 } }))),
  changes(own((lease) => ({ type: 'park', lease, open: ['1.a', '1.b'] }))),
  changes(own((lease) => ({ type: 'retry', lease, afterMs: 5000, counts: true }))),
  changes(own((lease) => ({ type: 'retry', lease, afterMs: 0, counts: false }))),
  changes(own((lease) => ({ type: 'finish', lease, state: 'completed' }))),
  changes(() => ({ type: 'answer', keys: ['1.a'] })),
  changes(() => ({ type: 'answer', keys: ['1.b', 'unknown'] })),
  changes(() => ({ type: 'cancel' })),
  fc.constantFrom(1, 5000, 15_000, 60_000, 600_000).map(
    (ms): Command =>
      async ({ model }) =>
        void (model.now += ms),
  ),
  fc.constant<Command>((comparison) => comparison.sweep()),
);

describe.each(testedStores)('task records on %s', (_name, open) => {
  it('do what the transition table says, whatever happens and however old a record is [s-tasks-28]', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 60 }), async (commands) => {
        const comparison = new Comparison();
        await comparison.open(open);
        try {
          for (const run of commands) await run(comparison);
          await comparison.compare();
        } finally {
          await comparison.close();
        }
      }),
      { numRuns: scaled(60, 2000) },
    );
  });
});
