/** Who may write a task: two workers, one that was stopped, clocks that jump, and a store that lost its last writes. */
import { afterEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../../src/lib/time/fake-clock.ts';
import { createMemoryStore } from '../../../../src/store/memory.ts';
import { deferred } from '../../../kit/deferred.ts';
import { closeEngines, cluster, create, type Handler, reached, textOf, viewOf } from './cluster.ts';
import { type LosingStore, losingStore } from './losing-tasks.ts';

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

/** A store that two workers ask for the first task, before one of them gets an answer. */
function togetherAsked(now: () => number) {
  const { tasks, bus } = createMemoryStore({ now });
  let isCreated = false;
  const waiting: (() => void)[] = [];
  return {
    bus,
    tasks: {
      ...tasks,
      create: (...given: Parameters<typeof tasks.create>) => {
        isCreated = true;
        return tasks.create(...given);
      },
      async take(...given: Parameters<typeof tasks.take>) {
        if (isCreated)
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
            if (waiting.length >= 2) for (const go of waiting) go();
          });
        return tasks.take(...given);
      },
    },
  };
}

/** A store of which every second answer to a write is lost. */
function losingAnswers(now: () => number) {
  const { tasks, bus } = createMemoryStore({ now });
  let writes = 0;
  const write = async (...given: Parameters<typeof tasks.write>): Promise<boolean> => {
    const isDone = await tasks.write(...given);
    if (isDone && ++writes % 2 === 1) throw new Error('The answer was lost');
    return isDone;
  };
  return { bus, tasks: { ...tasks, write } };
}

/** A cluster whose store loses its last writes. */
function losingCluster() {
  let store: LosingStore | undefined;
  const made = cluster((now) => {
    store = losingStore(now);
    return store;
  });
  return { ...made, save: () => store?.save(), lose: () => store?.lose() };
}

describe('a task that two workers take at once', () => {
  it('is run by one of them', async () => {
    const { join } = cluster(togetherAsked);
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
    // The second process took it twice: from the lost one, and from the queue of suspects.
    expect(task).toMatchObject({ crashes: 1, fence: 4 });
    expect(Object.keys(journal.journal.steps)).toEqual(['one', 'two']);
    expect(await textOf(second, made)).toBe('by second');
    // The effect of its step was before the write: that is what keys of steps are for.
    expect(log).toEqual(['first one', 'second two', 'first two']);
  });
});

describe('a store whose answers to writes get lost', () => {
  it('has each entry of a journal once, and the run goes on', async () => {
    const { join, pass, tasks, errors } = cluster(losingAnswers);
    const log: string[] = [];
    const steps = twoSteps('first', log);
    steps.go();
    const engine = join(steps.handler);
    const made = await create(engine);
    await pass(3000);
    const { task } = await reached(engine, made, 'completed');
    expect(task).toMatchObject({ attempts: 1, crashes: 0 });
    const entries = (await tasks.readJournal(made.row.id, 0)).map((text) => JSON.parse(text) as { is: string });
    expect(entries.map(({ is }) => is)).toEqual(['call', 'step', 'step', 'result']);
    expect(log).toEqual(['first one', 'first two']);
    expect(errors).toEqual([]);
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
    const { join, pass, save, lose } = losingCluster();
    const log: string[] = [];
    const old = twoSteps('first', log);
    const first = join(old.handler, { clock: createFakeClock(), kinds: [] });
    const made = await create(first);
    save();
    // It takes the task, and stores a step: both are lost.
    const holder = join(old.handler, { clock: createFakeClock() });
    await old.between;
    const before = (await viewOf(holder, made)).task.fence;
    lose();
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
    const { join, lose } = losingCluster();
    const engine = join(() => new Promise(() => {}));
    const made = await create(engine);
    await reached(engine, made, 'running');
    lose();
    expect(await engine.read(made.row.id, 'ann')).toBeUndefined();
  });
});
