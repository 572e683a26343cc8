import { describe, expect, it } from 'vitest';
import { createMemoryTasks } from '../../../../store/tasks/memory-tasks.ts';
import type { TaskStore } from '../../../../store/tasks/task-store.ts';
import type { TaskRules } from './task.ts';
import { type TaskOrder, type TaskRecord, TaskRecords } from './task-records.ts';

const rules: TaskRules = { leaseMs: 15_000, maxCrashes: 5, retentionMs: 600_000 };
const order: TaskOrder = {
  owner: 'ann',
  kind: 'k',
  entries: ['call'],
  ttlMs: 3_600_000,
  deadlineMs: 60_000,
  pollIntervalMs: 1000,
};

function begin() {
  let moment = 1_000_000;
  const store = createMemoryTasks(() => moment);
  return { store, records: new TaskRecords(store, rules), advance: (ms: number) => void (moment += ms) };
}

const created = async (records: TaskRecords, more: Partial<TaskOrder> = {}): Promise<TaskRecord> => {
  const made = await records.create({ ...order, ...more }, 10);
  if (typeof made === 'string') throw new Error(made);
  return made;
};

const claimed = async (records: TaskRecords, node: string): Promise<TaskRecord> => {
  const [one] = await records.claim(['k'], 1, node);
  if (one === undefined) throw new Error(`${node} got no task`);
  return one;
};

/** A store with some other operations. */
const changed = (store: TaskStore, more: Partial<TaskStore>): TaskStore => ({
  create: (task, max) => store.create(task, max),
  read: (id) => store.read(id),
  write: (task, change) => store.write(task, change),
  readJournal: (id, from) => store.readJournal(id, from),
  claimable: (kinds, max) => store.claimable(kinds, max),
  ending: (max) => store.ending(max),
  list: (owner, after, max) => store.list(owner, after, max),
  deleteEnded: (max) => store.deleteEnded(max),
  ...more,
});

const leaseOf = ({ task: { state } }: TaskRecord) => {
  if (state.is !== 'running') throw new Error(`the task is ${state.is}`);
  return state.lease;
};

describe('task records', () => {
  it('are read by their owner only: those of others look like none', async () => {
    const { records } = begin();
    const { row } = await created(records);
    expect(await records.read(row.id, 'ann')).toMatchObject({ task: { state: { is: 'ready' } } });
    expect(await records.read(row.id, 'bob')).toBeUndefined();
    expect(await records.read('none', 'ann')).toBeUndefined();
  });

  it.each([
    ['', []],
    [', also if another process has changed the task since', ['other']],
  ])('are not changed twice by an event whose write had no answer%s', async (_since, others) => {
    const { store, records } = begin();
    const { row } = await created(records);
    const task = await claimed(records, 'n1');
    const event = { type: 'beat', lease: leaseOf(task) } as const;
    const deaf = changed(store, {
      async write(...given) {
        await store.write(...given);
        throw new Error('The answer is lost.');
      },
    });
    const unanswered = { versions: new Set<number>(), from: 1 };
    await expect(new TaskRecords(deaf, rules).change(task, event, ['mine'], unanswered)).rejects.toThrow('lost');
    if (others.length > 0) await records.change(task, event, others);
    expect(await records.change(task, event, ['mine'], unanswered)).toMatchObject({ row: await store.read(row.id) });
    expect(await store.readJournal(row.id, 0)).toEqual(['call', 'mine', ...others]);
  });

  it('give each task to one of several workers', async () => {
    const { records, store } = begin();
    for (let n = 0; n < 10; n++) await created(records);
    // All see the same tasks before one of them writes.
    const slow = changed(store, { write: async (row, change) => store.write(row, change) });
    const workers = ['n1', 'n2', 'n3'].map((node) => new TaskRecords(slow, rules).claim(['k'], 10, node));
    const ids = (await Promise.all(workers)).flat().map(({ row }) => row.id);
    expect(ids).toHaveLength(10);
    expect(new Set(ids).size).toBe(10);
    expect(await records.claim(['k'], 10, 'n4')).toEqual([]);
  });

  it('refuse the writes of a worker whose lease has lapsed and whose task another one has taken', async () => {
    const { records, advance } = begin();
    const { row } = await created(records);
    const first = await claimed(records, 'n1');
    advance(rules.leaseMs);
    const second = await claimed(records, 'n2');
    const late = await records.change(first, { type: 'beat', lease: leaseOf(first) }, ['late']);
    expect(late).toBe('lease-lost');
    await records.change(second, { type: 'finish', lease: leaseOf(second), state: 'completed' }, ['result']);
    expect(await records.readJournal(row.id)).toEqual(['call', 'result']);
    expect((await records.read(row.id, 'ann'))?.task).toMatchObject({ state: { is: 'completed' }, crashes: 1 });
  });

  it('apply an event again to what another process wrote meanwhile', async () => {
    const { records } = begin();
    const made = await created(records);
    const running = await claimed(records, 'n1');
    const cancelled = await records.change(made, { type: 'cancel' });
    expect(cancelled).toMatchObject({ task: { state: { is: 'cancelled' } } });
    expect(await records.change(running, { type: 'beat', lease: leaseOf(running) })).toBe('lease-lost');
    expect(await records.change(made, { type: 'cancel' })).toBe('over');
  });

  it('continue with what they have written, without reading it again', async () => {
    const { records, store } = begin();
    await created(records);
    let record = await claimed(records, 'n1');
    let reads = 0;
    const counted = new TaskRecords(
      changed(store, {
        read: (id) => {
          reads++;
          return store.read(id);
        },
      }),
      rules,
    );
    for (let n = 0; n < 5; n++) {
      const next = await counted.change(record, { type: 'beat', lease: leaseOf(record) }, [`step ${n}`]);
      if (typeof next === 'string') throw new Error(next);
      record = next;
    }
    expect(reads).toBe(0);
    expect(await records.readJournal(record.row.id, 1)).toHaveLength(5);
  });

  it('fail at their deadline, and are deleted when they have been over long enough', async () => {
    const { records, advance } = begin();
    const { row } = await created(records);
    advance(60_000);
    await records.sweep(10);
    expect((await records.read(row.id, 'ann'))?.task).toMatchObject({
      state: { is: 'failed' },
      message: expect.stringContaining('deadline'),
    });
    advance(order.ttlMs);
    await records.sweep(10);
    expect(await records.read(row.id, 'ann')).toBeUndefined();
  });

  it('fail by name when other processes are always faster', async () => {
    const { records, store } = begin();
    const made = await created(records);
    const contested = new TaskRecords(changed(store, { write: () => false }), rules);
    await expect(contested.change(made, { type: 'cancel' })).rejects.toMatchObject({ code: 'store-failed' });
  });

  it('refuse data of a newer version by name', async () => {
    const { records, store } = begin();
    const { row } = await created(records);
    store.write(row, { data: '{"v":2}', claimInMs: 0, isOver: false, entries: [] });
    await expect(records.read(row.id, 'ann')).rejects.toMatchObject({ code: 'store-too-new' });
    await created(records);
    expect(await records.claim(['k'], 10, 'n1')).toHaveLength(1);
    await records.sweep(10);
  });
});
