import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../../store/memory.ts';
import type { TaskStore } from '../../../../store/task-store.ts';
import type { TaskRules } from './task.ts';
import { type ClaimedTask, type TaskOrder, type TaskRecord, TaskRecords } from './task-records.ts';

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
  const store = createMemoryStore({ now: () => moment }).tasks;
  return { store, records: new TaskRecords(store, rules), advance: (ms: number) => void (moment += ms) };
}

const created = async (records: TaskRecords, more: Partial<TaskOrder> = {}): Promise<TaskRecord> => {
  const made = await records.create({ ...order, ...more }, { maxLive: 10, maxStored: 100, maxInShard: 100 });
  if (typeof made === 'string') throw new Error(made);
  return made;
};

const claimed = async (records: TaskRecords, node: string): Promise<ClaimedTask> => {
  const [one] = await records.claim(['k'], 1, node);
  if (one === undefined) throw new Error(`${node} got no task`);
  return one;
};

const claimedSuspect = async (records: TaskRecords): Promise<ClaimedTask> => {
  const one = await records.claimSuspect(['k'], 'n');
  if (one === undefined) throw new Error('there is no suspect');
  return one;
};

/** A store with some other operations. */
const changed = (store: TaskStore, more: Partial<TaskStore>): TaskStore => ({ ...store, ...more });

const leaseOf = ({ task: { state } }: TaskRecord) => {
  if (state.is !== 'running') throw new Error(`the task is ${state.is}`);
  return state.lease;
};

const stored = async (records: TaskRecords, { row }: TaskRecord): Promise<TaskRecord> => {
  const found = await records.find(row.id);
  if (found === undefined) throw new Error('the task is gone');
  return found;
};

describe('task records', () => {
  it('are read by their owner only: those of others look like none', async () => {
    const { records } = begin();
    const { row } = await created(records);
    expect(await records.read(row.id, 'ann')).toMatchObject({ task: { state: { is: 'ready' } } });
    expect(await records.read(row.id, 'bob')).toBeUndefined();
    expect(await records.read('none', 'ann')).toBeUndefined();
  });

  it('give each task to one of several workers', async () => {
    const { records, store } = begin();
    for (let n = 0; n < 10; n++) await created(records);
    // All ask before one of them has an answer.
    const slow = changed(store, { take: async (...given) => store.take(...given) });
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

  it('refuse them too if neither worker has written the task before', async () => {
    const { records, advance } = begin();
    await created(records);
    const first = await claimed(records, 'n1');
    advance(rules.leaseMs);
    const second = await claimed(records, 'n2');
    expect(second.task).toMatchObject({ state: { lease: { node: 'n2' } }, fence: 2, attempts: 1, crashes: 1 });
    for (const event of [
      { type: 'beat', lease: leaseOf(first) },
      { type: 'finish', lease: leaseOf(first), state: 'completed' },
    ] as const)
      expect(await records.change(first, event, ['late'])).toBe('lease-lost');
    expect(await records.change(second, { type: 'beat', lease: leaseOf(second) })).toMatchObject({
      task: { crashes: 1, fence: 2 },
    });
  });

  it('let a worker go on whose task was answered before its first write', async () => {
    const { records } = begin();
    const made = await created(records);
    const first = await claimed(records, 'n1');
    await records.change(first, { type: 'park', lease: leaseOf(first), open: ['1.a', '1.b'], wakeAt: 0 });
    const second = await claimed(records, 'n2');
    const parked = await stored(records, made);
    expect(parked.task).toMatchObject({ state: { is: 'running', open: ['1.a', '1.b'] }, crashes: 0 });
    expect(await records.change(parked, { type: 'answer', keys: ['1.a'] }, ['answer'])).toMatchObject({
      task: { state: { is: 'running', lease: leaseOf(second), open: ['1.b'], answered: ['1.a'] } },
    });
    const done = await records.change(second, { type: 'beat', lease: leaseOf(second) }, ['step']);
    expect(done).toMatchObject({ task: { state: { answered: ['1.a'] }, fence: 2, attempts: 1, crashes: 0 } });
    expect(await records.readJournal(made.row.id)).toEqual(['call', 'answer', 'step']);
  });

  it('refuse a worker whose task was cancelled before its first write', async () => {
    const { records } = begin();
    const made = await created(records);
    const running = await claimed(records, 'n1');
    expect(await records.change(await stored(records, made), { type: 'cancel' })).toMatchObject({
      task: { state: { is: 'cancelled' }, fence: 2 },
    });
    expect(await records.change(running, { type: 'beat', lease: leaseOf(running) }, ['late'])).toBe('lease-lost');
    expect(await records.readJournal(made.row.id)).toEqual(['call']);
  });

  it('do not write twice what was written, though the answer of the store was lost', async () => {
    const { records, store } = begin();
    const made = await created(records);
    const running = await claimed(records, 'n1');
    const losing = new TaskRecords(
      changed(store, {
        write: async (row, change) => {
          store.write(row, change);
          throw new Error('The answer was lost');
        },
      }),
      rules,
    );
    for (const event of [
      { type: 'beat', lease: leaseOf(running), progress: { progress: 1 } },
      { type: 'finish', lease: leaseOf(running), state: 'completed' },
    ] as const) {
      const current = await stored(records, made);
      await expect(losing.change(current, event, [event.type], `version of ${event.type}`)).rejects.toThrow('lost');
      const again = await records.change(current, event, [event.type], `version of ${event.type}`);
      expect(again).toEqual(await stored(records, made));
    }
    expect(await records.readJournal(made.row.id)).toEqual(['call', 'beat', 'finish']);
  });

  it('are failed by the worker that takes them after too many others were lost', async () => {
    const { records, advance } = begin();
    await created(records, { deadlineMs: 600_000 });
    await claimed(records, 'n0');
    advance(rules.leaseMs);
    const first = await claimed(records, 'n1');
    // The first loss is not counted: it may have been the fault of another task.
    expect(first.task).toMatchObject({ crashes: 1, suspect: { crashes: 0 } });
    await records.change(first, { type: 'retry', lease: first.lease, afterMs: 0, counts: false });
    expect(await records.claim(['k'], 1, 'n1')).toEqual([]);
    for (let lost = 0; lost <= rules.maxCrashes; lost++) {
      const suspect = await claimedSuspect(records);
      expect(suspect).toMatchObject({ task: { suspect: { crashes: lost } } });
      expect(suspect.failure).toBeUndefined();
      // A worker that is lost before it runs the suspect is not counted.
      advance(rules.leaseMs);
      const again = await claimedSuspect(records);
      expect(again.task.suspect).toEqual({ crashes: lost });
      await records.change(again, { type: 'suspect', lease: again.lease });
      advance(rules.leaseMs);
    }
    const { task, failure } = await claimedSuspect(records);
    expect(task.suspect).toEqual({ crashes: rules.maxCrashes + 1 });
    expect(failure?.message).toBe('The process of this task was lost 6 times');
  });

  it('are failed by the worker that takes them after their deadline', async () => {
    const { records, advance } = begin();
    await created(records);
    advance(59_999);
    expect((await claimed(records, 'n1')).failure).toBeUndefined();
    advance(rules.leaseMs);
    expect((await claimed(records, 'n2')).failure?.message).toContain('deadline');
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
    let record: TaskRecord = await claimed(records, 'n1');
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

  it('fail at their deadline, and are gone when they have been over long enough', async () => {
    const { records, advance } = begin();
    const { row } = await created(records);
    advance(60_000);
    await records.sweep(10, 'n1');
    expect((await records.read(row.id, 'ann'))?.task).toMatchObject({
      state: { is: 'failed' },
      message: expect.stringContaining('deadline'),
    });
    // It is stored for its time to live.
    advance(order.ttlMs - 60_001);
    expect(await records.read(row.id, 'ann')).toBeDefined();
    advance(1);
    expect(await records.read(row.id, 'ann')).toBeUndefined();
    expect(await records.readJournal(row.id)).toEqual([]);
  });

  it('fail at their deadline also if the process was lost that was to write it', async () => {
    const { records, store, advance } = begin();
    const { row } = await created(records);
    const running = await claimed(records, 'n1');
    advance(60_000);
    expect(await store.takeEnding(10, 'lost', rules.leaseMs)).toHaveLength(1);
    await records.sweep(10, 'n2');
    expect((await records.read(row.id, 'ann'))?.row.isOver).toBe(false);
    // The worker that had taken it writes no more.
    expect(await records.change(running, { type: 'beat', lease: leaseOf(running) }, ['late'])).toBe('lease-lost');
    advance(rules.leaseMs);
    await records.sweep(10, 'n2');
    expect((await records.read(row.id, 'ann'))?.task).toMatchObject({ state: { is: 'failed' } });
    expect(await records.readJournal(row.id)).toHaveLength(2);
  });

  it('fail by name when other processes are always faster', async () => {
    const { records, store } = begin();
    const made = await created(records);
    const contested = new TaskRecords(changed(store, { write: () => false }), rules);
    await expect(contested.change(made, { type: 'cancel' })).rejects.toMatchObject({ code: 'store-failed' });
  });

  it('refuse data of a newer version by name, and leave it to workers that can read it', async () => {
    const { records, store, advance } = begin();
    const { row } = await created(records);
    const newer = '{"v":2}';
    await store.write(row, { data: newer, claimInMs: 0, isOver: false, entries: [] });
    await expect(records.read(row.id, 'ann')).rejects.toMatchObject({ code: 'store-too-new' });
    await created(records);
    expect(await records.claim(['k'], 10, 'n1')).toHaveLength(1);
    expect(await records.claim(['k'], 10, 'n1')).toEqual([]);
    advance(1000);
    // None of those that could not read it counts as a worker that was lost.
    const [taken] = await store.take(['k'], 10, 'newer', rules.leaseMs);
    expect(taken).toMatchObject({ task: { id: row.id, data: newer, taken: { count: 1 } }, entries: ['call'] });
    advance(60_000);
    await records.sweep(10, 'n1');
    expect((await store.read(row.id))?.data).toBe(newer);
  });
});
