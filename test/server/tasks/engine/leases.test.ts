/** Who may write a task: two workers, one that was stopped, clocks that jump, and a store that lost its last writes. */
import { afterEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../../src/lib/time/fake-clock.ts';
import { createMemoryTasks } from '../../../../src/store/tasks/memory-tasks.ts';
import type { TaskStore } from '../../../../src/store/tasks/task-store.ts';
import { deferred } from '../../../kit/deferred.ts';
import { closeEngines, cluster, create, type Handler, reached, textOf, viewOf } from './cluster.ts';
import { type LosingTasks, losingTasks } from './losing-tasks.ts';

afterEach(closeEngines);

const leaseMs = 15_000;

/** A handler that stores one step, waits, and then tries to store another. */
function twoSteps(name: string, log: string[]) {
  const [between, go, over] = [deferred(), deferred(), deferred<unknown>()];
  const handler: Handler = async (_, ctx) => {
    await ctx.step('one', () => void log.push(`${name} one`));
    between.resolve();
    await go.promise;
    try {
      await ctx.step('two', () => void log.push(`${name} two`));
    } catch (error) {
      over.resolve(error);
      throw error;
    }
    over.resolve('stored');
    return `by ${name}`;
  };
  return { handler, between: between.promise, go: () => go.resolve(), over: over.promise };
}

/** A store in which two workers find the same tasks, before one of them takes any. */
function togetherFound(now: () => number): TaskStore {
  const tasks = createMemoryTasks(now);
  const waiting: (() => void)[] = [];
  return {
    create: (...given) => tasks.create(...given),
    read: (id) => tasks.read(id),
    write: (...given) => tasks.write(...given),
    readJournal: (id, from) => tasks.readJournal(id, from),
    ending: (max) => tasks.ending(max),
    list: (owner, after, max) => tasks.list(owner, after, max),
    deleteEnded: (max) => tasks.deleteEnded(max),
    async claimable(kinds, max) {
      const found = tasks.claimable(kinds, max);
      if ((await found).length === 0) return [];
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 2) for (const go of waiting) go();
      });
      return found;
    },
  };
}

describe('a task that two workers take at once', () => {
  it('is run by one of them', async () => {
    const { join } = cluster(togetherFound);
    const runs: string[] = [];
    const [first, second] = ['first', 'second'].map((name) => join(async () => `${runs.push(name)}`));
    if (first === undefined || second === undefined) throw new Error('There are two.');
    const made = await create(first);
    expect((await reached(first, made, 'completed')).task).toMatchObject({ attempts: 1, crashes: 0 });
    expect(runs).toHaveLength(1);
  });
});

describe('a worker that was stopped and wakes up after its lease', () => {
  it('is refused its writes, and its signal is aborted', async () => {
    const { join, pass } = cluster();
    const log: string[] = [];
    const stopped = twoSteps('first', log);
    const first = join(stopped.handler, { clock: createFakeClock() });
    const made = await create(first);
    await stopped.between;
    const next = twoSteps('second', log);
    next.go();
    const second = join(next.handler);
    await pass(leaseMs + 1000);
    await reached(second, made, 'completed');
    stopped.go();
    expect(await stopped.over).toMatchObject({ code: 'task-lost' });
    const { task, journal } = await viewOf(second, made);
    expect(task).toMatchObject({ crashes: 1, fence: 3 });
    expect(Object.keys(journal.journal.steps)).toEqual(['one', 'two']);
    expect(await textOf(second, made)).toBe('by second');
    // The effect of its step was before the write: that is what keys of steps are for.
    expect(log).toEqual(['first one', 'second two', 'first two']);
  });
});

describe('a clock that jumps', () => {
  it('of a process: it abandons its runs, and another attempt continues from the journal', async () => {
    const { join, pass } = cluster();
    const log: string[] = [];
    const own = createFakeClock();
    const jumped = twoSteps('first', log);
    const first = join(jumped.handler, { clock: own });
    const made = await create(first);
    await jumped.between;
    const next = twoSteps('second', log);
    next.go();
    const second = join(next.handler);
    // No beat was written in this time: the lease may be another's.
    own.advance(24 * 60 * 60_000);
    jumped.go();
    expect(await jumped.over).not.toBe('stored');
    await pass(leaseMs + 1000);
    await reached(second, made, 'completed');
    expect(log.filter((line) => line.endsWith('one'))).toEqual(['first one']);
  });

  it('of the store, forwards: the task has a new worker, and the old one is refused', async () => {
    const { join, setStoreClock, pass } = cluster();
    const log: string[] = [];
    const early = twoSteps('first', log);
    const first = join(early.handler, { clock: createFakeClock() });
    const made = await create(first);
    await early.between;
    const next = twoSteps('second', log);
    next.go();
    const second = join(next.handler);
    setStoreClock(60 * 60_000);
    await pass(1000);
    await reached(second, made, 'completed');
    early.go();
    expect(await early.over).toMatchObject({ code: 'task-lost' });
    expect(await textOf(second, made)).toBe('by second');
  });

  it('of the store, backwards: a worker that lives renews its lease by the new time', async () => {
    const { join, setStoreClock, pass } = cluster();
    const log: string[] = [];
    const alive = twoSteps('first', log);
    const first = join(alive.handler);
    const made = await create(first);
    await alive.between;
    setStoreClock(-60 * 60_000);
    await pass(6000);
    const { task } = await viewOf(first, made);
    expect(task).toMatchObject({ state: { is: 'running' }, crashes: 0 });
    await first.close();
    const next = twoSteps('second', log);
    next.go();
    const second = join(next.handler);
    await reached(second, made, 'completed');
    expect(log).toEqual(['first one', 'second two']);
  });
});

describe('a store that has lost its last writes', () => {
  it('gives a task to a new worker under the same fence, and refuses the writes of the old one', async () => {
    const { join, tasks, pass } = cluster(losingTasks);
    const log: string[] = [];
    const old = twoSteps('first', log);
    const first = join(old.handler, { clock: createFakeClock(), kinds: [] });
    const made = await create(first);
    (tasks as LosingTasks).save();
    // It takes the task, and stores a step: both are lost.
    const holder = join(old.handler, { clock: createFakeClock() });
    await old.between;
    const before = (await viewOf(holder, made)).task.fence;
    (tasks as LosingTasks).lose();
    const next = twoSteps('second', log);
    const second = join(next.handler);
    await pass(1000);
    await next.between;
    // As many writes as the old one has seen: counted versions would be equal now.
    expect((await viewOf(second, made)).task.fence).toBe(before);
    old.go();
    expect(await old.over).toMatchObject({ code: 'task-lost' });
    next.go();
    await reached(second, made, 'completed');
    expect(await textOf(second, made)).toBe('by second');
    expect((await viewOf(second, made)).task).toMatchObject({ crashes: 0, attempts: 1 });
    // The step that was lost ran again: a service recognizes it by its key.
    expect(log).toEqual(['first one', 'second one', 'first two', 'second two']);
  });

  it('does not know a task that was created in them', async () => {
    const { join, tasks } = cluster(losingTasks);
    const engine = join(() => new Promise(() => {}));
    const made = await create(engine);
    await reached(engine, made, 'running');
    (tasks as LosingTasks).lose();
    expect(await engine.read(made.row.id, 'ann')).toBeUndefined();
  });
});
