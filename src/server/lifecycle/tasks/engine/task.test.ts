import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Changed, changeTask, isOver, type Lease, type Task, type TaskEvent, type TaskRules } from './task.ts';

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

describe('a task', () => {
  it('is run by the worker that claims it, under a new fence and for the time of a lease', () => {
    expect(after(fresh, { type: 'claim', lease: lease('a') })).toEqual({
      task: {
        ...fresh,
        state: { is: 'running', lease: lease('a') },
        fence: 1,
        attempts: 1,
        startedAt: 5000,
        changes: 1,
      },
      claimInMs: 15_000,
    });
  });

  it('is taken over from a worker that was lost, whose writes are refused from then on', () => {
    const { task } = after(fresh, { type: 'claim', lease: lease('a') }, { type: 'claim', lease: lease('b') });
    expect(task).toMatchObject({ fence: 2, attempts: 1, crashes: 1 });
    for (const late of [
      { type: 'beat', lease: lease('a') },
      { type: 'park', lease: lease('a'), open: ['1.name'] },
      { type: 'finish', lease: lease('a'), state: 'completed' },
      { type: 'retry', lease: lease('a'), afterMs: 0, counts: true },
    ] as const)
      expect(changeTask(task, late, rules, times)).toBe('lease-lost');
    expect(changeTask(task, { type: 'beat', lease: lease('b') }, rules, times)).toMatchObject({ claimInMs: 15_000 });
  });

  it('fails if its workers are lost too often', () => {
    const claims = ['a', 'b', 'c', 'd'].map((nonce): TaskEvent => ({ type: 'claim', lease: lease(nonce) }));
    const { task, claimInMs } = after(fresh, ...claims);
    expect(task).toMatchObject({ state: { is: 'failed' }, crashes: 3, message: expect.stringContaining('3 times') });
    expect(claimInMs).toBeUndefined();
  });

  it('waits for all answers without a worker, and then goes on as the same attempt', () => {
    const parked = after(
      fresh,
      { type: 'claim', lease: lease('a') },
      { type: 'park', lease: lease('a'), open: ['1.name', '1.size'] },
    );
    expect(parked.claimInMs).toBeUndefined();
    const one = after(parked.task, { type: 'answer', keys: ['1.name', 'unknown'] });
    expect(one).toMatchObject({ claimInMs: undefined, task: { state: { is: 'parked', open: ['1.size'] } } });
    expect(changeTask(one.task, { type: 'answer', keys: ['1.name'] }, rules, times)).toBe('not-now');
    const all = after(one.task, { type: 'answer', keys: ['1.size'] });
    expect(all.claimInMs).toBe(0);
    expect(after(all.task, { type: 'claim', lease: lease('b') }).task).toMatchObject({ attempts: 1, fence: 2 });
  });

  it('sleeps until a moment, which an answer to one of two requests does not change', () => {
    const parked = after(
      fresh,
      { type: 'claim', lease: lease('a') },
      { type: 'park', lease: lease('a'), open: ['1.a', '1.b'], wakeAt: 9000 },
    );
    expect(parked.claimInMs).toBe(4000);
    expect(after(parked.task, { type: 'answer', keys: ['1.a'] }).claimInMs).toBe(4000);
    expect(after(parked.task, { type: 'answer', keys: ['1.a', '1.b'] }).claimInMs).toBe(0);
  });

  it('is tried again after a while, and a drained run does not count', () => {
    const running = after(fresh, { type: 'claim', lease: lease('a') }).task;
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
      const { task } = after(fresh, { type: 'claim', lease: lease('a') }, end);
      expect(isOver(task)).toBe(true);
      for (const event of allEvents('a')) expect(changeTask(task, event, rules, times)).toBeTypeOf('string');
    }
  });

  it('keeps its promises under any sequence of events [s-tasks-28]', () => {
    const event = fc.constantFrom('a', 'b', 'c').chain((nonce) => fc.constantFrom(...allEvents(nonce)));
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let task = fresh;
        for (const one of events) {
          const changed = changeTask(task, one, rules, times);
          if (typeof changed === 'string') continue;
          expect(brokenPromises(task, one, changed)).toEqual([]);
          ({ task } = changed);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** What must hold of every change. */
function brokenPromises(before: Task, event: TaskEvent, { task, claimInMs, endsInMs }: Changed): string[] {
  const byWorker = 'lease' in event && event.type !== 'claim';
  const holder = before.state.is === 'running' ? before.state.lease.nonce : undefined;
  const claimed = event.type === 'claim' && task.state.is === 'running';
  const promises: Record<string, boolean> = {
    'a task that is over does not change': !isOver(before),
    'the fence never falls': task.fence >= before.fence,
    'only the holder of the lease writes for a task': !byWorker || holder === event.lease.nonce,
    'each claim has a new fence': !claimed || task.fence === before.fence + 1,
    'a task that is over, and no other one, has an end': (endsInMs === undefined) === !isOver(task),
    'a running task has a lease': task.state.is !== 'running' || claimInMs === rules.leaseMs,
    'crashes are limited': task.crashes <= rules.maxCrashes + 1,
    'attempts are counted': task.attempts >= 0,
  };
  return Object.keys(promises).filter((name) => promises[name] === false);
}

const allEvents = (nonce: string): TaskEvent[] => [
  { type: 'claim', lease: lease(nonce) },
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
