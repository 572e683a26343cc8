import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Changed,
  changeTask,
  isOver,
  type Lease,
  type Task,
  type TaskEvent,
  type TaskRules,
  takenTask,
} from './task.ts';

const rules: TaskRules = { leaseMs: 15_000, maxCrashes: 2, retentionMs: 600_000 };
const times = { createdAt: 1000, now: 5000 };
const fresh: Task = {
  state: { is: 'ready' },
  fence: 0,
  attempts: 0,
  crashes: 0,
  ttlMs: 3_600_000,
  pollIntervalMs: 1000,
};
const lease = (nonce: string): Lease => ({ node: 'n1', nonce });

function after(task: Task, ...events: readonly TaskEvent[]): Changed {
  let changed: Changed = { task, claimInMs: 0 };
  for (const event of events) {
    const next = changeTask(changed.task, event, rules, times);
    if (typeof next === 'string') throw new Error(`${event.type} was refused: ${next}`);
    changed = next;
  }
  return changed;
}

/** The task after a worker has taken it, for the time of a lease; `count` is larger if earlier ones took it and wrote nothing. */
const taken = (task: Task, nonce: string, count = 1): Task => takenTask(task, lease(nonce), { count, at: times.now });

describe('a task', () => {
  it('is run by the worker that takes it, under a new fence', () => {
    expect(taken(fresh, 'a')).toEqual({
      ...fresh,
      state: { is: 'running', lease: lease('a') },
      fence: 1,
      attempts: 1,
      startedAt: 5000,
      changes: 1,
    });
    expect(after(taken(fresh, 'a'), { type: 'beat', lease: lease('a') }).claimInMs).toBe(15_000);
  });

  it('is taken over from a worker that was lost, whose writes are refused from then on', () => {
    const { task: beaten } = after(taken(fresh, 'a'), { type: 'beat', lease: lease('a') });
    for (const task of [taken(beaten, 'b'), taken(fresh, 'b', 2)]) {
      expect(task).toMatchObject({ fence: 2, attempts: 1, crashes: 1 });
      for (const late of [
        { type: 'beat', lease: lease('a') },
        { type: 'park', lease: lease('a'), open: ['1.name'] },
        { type: 'finish', lease: lease('a'), state: 'completed' },
        { type: 'retry', lease: lease('a'), afterMs: 0, counts: true },
      ] as const)
        expect(changeTask(task, late, rules, times)).toBe('lease-lost');
      expect(changeTask(task, { type: 'beat', lease: lease('b') }, rules, times)).toMatchObject({ claimInMs: 15_000 });
    }
  });

  it('counts the workers that were lost, whether or not they have written it', () => {
    const { task: beaten } = after(taken(fresh, 'a'), { type: 'beat', lease: lease('a') });
    expect(taken(beaten, 'd', 3)).toMatchObject({ crashes: 3, fence: 4, attempts: 1, changes: 5 });
    expect(taken(fresh, 'd', 4)).toMatchObject({ crashes: 3, fence: 4, attempts: 1, changes: 4 });
    const { task: parked } = after(taken(fresh, 'a'), { type: 'park', lease: lease('a'), open: [], wakeAt: 5000 });
    expect(taken(parked, 'd', 4)).toMatchObject({ crashes: 3, fence: 5, attempts: 1 });
  });

  it('waits for all answers without a worker, and then goes on as the same attempt', () => {
    const parked = after(taken(fresh, 'a'), { type: 'park', lease: lease('a'), open: ['1.name', '1.size'] });
    expect(parked.claimInMs).toBeUndefined();
    const one = after(parked.task, { type: 'answer', keys: ['1.name', 'unknown'] });
    expect(one).toMatchObject({ claimInMs: undefined, task: { state: { is: 'parked', open: ['1.size'] } } });
    expect(changeTask(one.task, { type: 'answer', keys: ['1.name'] }, rules, times)).toBe('not-now');
    const all = after(one.task, { type: 'answer', keys: ['1.size'] });
    expect(all.claimInMs).toBe(0);
    expect(taken(all.task, 'b')).toMatchObject({ attempts: 1, fence: 2 });
  });

  it('takes answers that arrive before the worker that took it has written, and lets that one go on', () => {
    const { task: parked } = after(taken(fresh, 'a'), {
      type: 'park',
      lease: lease('a'),
      open: ['1.a', '1.b'],
      wakeAt: 0,
    });
    const { task } = after(taken(parked, 'b'), { type: 'answer', keys: ['1.a'] });
    expect(task).toMatchObject({
      state: { is: 'running', lease: lease('b'), open: ['1.b'], answered: ['1.a'] },
      fence: 2,
    });
    // Its worker does not know the answer: the next run begins at once.
    const again = after(task, { type: 'park', lease: lease('b'), open: ['1.a', '1.b'] });
    expect(again).toMatchObject({ claimInMs: 0, task: { state: { is: 'parked', open: ['1.b'] } } });
  });

  it('sleeps until a moment, which an answer to one of two requests does not change', () => {
    const parked = after(taken(fresh, 'a'), { type: 'park', lease: lease('a'), open: ['1.a', '1.b'], wakeAt: 9000 });
    expect(parked.claimInMs).toBe(4000);
    expect(after(parked.task, { type: 'answer', keys: ['1.a'] }).claimInMs).toBe(4000);
    expect(after(parked.task, { type: 'answer', keys: ['1.a', '1.b'] }).claimInMs).toBe(0);
  });

  it('is tried again after a while, and a drained run does not count', () => {
    const running = taken(fresh, 'a');
    const failed = after(running, { type: 'retry', lease: lease('a'), afterMs: 500, counts: true });
    expect(failed).toMatchObject({ claimInMs: 500, task: { state: { is: 'ready' }, attempts: 1 } });
    const drained = after(running, { type: 'retry', lease: lease('a'), afterMs: 0, counts: false });
    expect(drained.task.attempts).toBe(0);
  });

  it('is stored for its time to live after it is over, and for a while at least', () => {
    const end = (ttlMs: number): number | undefined => after({ ...fresh, ttlMs }, { type: 'cancel' }).endsInMs;
    expect(end(3_600_000)).toBe(3_596_000);
    expect(end(1000)).toBe(600_000);
  });

  it('stays as it is once it is over, whatever happens [s-tasks-29] [s-tasks-62] [ext-tasks-14]', () => {
    for (const end of [
      { type: 'cancel' },
      { type: 'expire', message: 'late' },
      { type: 'finish', lease: lease('a'), state: 'completed' },
      { type: 'finish', lease: lease('a'), state: 'failed', message: 'why' },
    ] as const) {
      const { task } = after(taken(fresh, 'a'), end);
      expect(isOver(task)).toBe(true);
      for (const event of allEvents('a')) expect(changeTask(task, event, rules, times)).toBeTypeOf('string');
    }
  });

  it('keeps its promises under any sequence of events [s-tasks-28]', () => {
    const nonces = fc.constantFrom('a', 'b', 'c');
    const event = nonces.chain((nonce) => fc.constantFrom<TaskEvent | Taking>(taking(nonce), ...allEvents(nonce)));
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let task = fresh;
        for (const one of events) {
          // A store gives no task that is over.
          if (one.type === 'take' && isOver(task)) continue;
          const changed = one.type === 'take' ? takenBy(task, one) : changeTask(task, one, rules, times);
          if (typeof changed === 'string') continue;
          expect(brokenPromises(task, one, changed)).toEqual([]);
          ({ task } = changed);
        }
      }),
      { numRuns: 300 },
    );
  });
});

interface Taking {
  readonly type: 'take';
  readonly lease: Lease;
}

/** A store gives the lease with it. */
const takenBy = (task: Task, { lease: { nonce } }: Taking): Changed => ({
  task: taken(task, nonce),
  claimInMs: rules.leaseMs,
});

const taking = (nonce: string): Taking => ({ type: 'take', lease: lease(nonce) });

/** What must hold of every change. */
function brokenPromises(before: Task, event: TaskEvent | Taking, { task, claimInMs, endsInMs }: Changed): string[] {
  const isTaken = event.type === 'take';
  const byWorker = 'lease' in event && !isTaken;
  const holder = before.state.is === 'running' ? before.state.lease.nonce : undefined;
  const after = task.state.is === 'running' ? task.state.lease.nonce : undefined;
  const lost = isTaken && holder !== undefined ? 1 : 0;
  const promises: Record<string, boolean> = {
    'a task that is over does not change': !isOver(before),
    'the fence never falls': task.fence >= before.fence,
    'only the holder of the lease writes for a task': !byWorker || holder === event.lease.nonce,
    'the worker that takes a task holds it': !isTaken || after === event.lease.nonce,
    'each take has a new fence': !isTaken || task.fence === before.fence + 1,
    'no worker gets a task but by taking it': isTaken || after === undefined || after === holder,
    'a task that is over, and no other one, has an end': (endsInMs === undefined) === !isOver(task),
    'a running task has a lease': task.state.is !== 'running' || claimInMs === rules.leaseMs,
    'a crash is counted when the task of a lost worker is taken, and then only': task.crashes === before.crashes + lost,
    'attempts are counted': task.attempts >= 0,
  };
  return Object.keys(promises).filter((name) => promises[name] === false);
}

const allEvents = (nonce: string): TaskEvent[] => [
  { type: 'beat', lease: lease(nonce), progress: { progress: 1 } },
  { type: 'park', lease: lease(nonce), open: ['1.a', '1.b'] },
  { type: 'park', lease: lease(nonce), open: [], wakeAt: 6000 },
  { type: 'retry', lease: lease(nonce), afterMs: 10, counts: true },
  { type: 'retry', lease: lease(nonce), afterMs: 0, counts: false },
  { type: 'finish', lease: lease(nonce), state: 'completed' },
  { type: 'answer', keys: ['1.a'] },
  { type: 'answer', keys: ['1.b'] },
  { type: 'cancel' },
  { type: 'expire', message: 'late' },
];
