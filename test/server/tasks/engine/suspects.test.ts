/** A task that kills its process: it fails by itself, and takes no other task along. */
import { afterEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../../src/lib/time/fake-clock.ts';
import type { TaskRecord } from '../../../../src/server/lifecycle/tasks/engine/task-records.ts';
import { maxCrashes } from '../../../../src/server/ports/option-groups.ts';
import type { TaskStore } from '../../../../src/store/task-store.ts';
import { deferred } from '../../../kit/deferred.ts';
import { closeEngines, cluster, create, type Handler, reached, viewOf } from './cluster.ts';

const revivals: (() => void)[] = [];
afterEach(async () => {
  for (const revive of revivals.splice(0)) revive();
  await closeEngines();
});

const leaseMs = 15_000;
const forever = new Promise<never>(() => {});

/** A process that one of its handlers can kill: from then on no operation of it settles until the test ends, and its clock stands still. */
function mortal(handlerOf: (die: () => void) => Handler) {
  let isDead = false;
  const [died, revived] = [deferred(), deferred()];
  revivals.push(() => {
    isDead = false;
    revived.resolve();
  });
  const clock: FakeClock = createFakeClock();
  const die = (): void => {
    isDead = true;
    died.resolve();
  };
  const reaching = (tasks: TaskStore): TaskStore =>
    new Proxy(tasks, {
      get(target, name) {
        const operation = Reflect.get(target, name) as (...given: unknown[]) => unknown;
        const operate = (given: unknown[]): unknown => operation.apply(target, given);
        return (...given: unknown[]) => (isDead ? revived.promise.then(() => operate(given)) : operate(given));
      },
    });
  return {
    handler: handlerOf(die),
    node: { clock, reached: reaching },
    die,
    died: died.promise,
    hasDied: () => isDead,
    advance: (ms: number) => isDead || clock.advance(ms),
  };
}

/** Lets time pass in the store and in a process, until it dies or `isOver` holds. */
async function live(
  { advance, hasDied }: ReturnType<typeof mortal>,
  pass: (ms: number) => Promise<void>,
  isOver: () => Promise<boolean>,
): Promise<void> {
  while (!hasDied() && !(await isOver())) {
    advance(1000);
    await pass(1000);
  }
}

describe('after a process was lost', () => {
  it('the task that kills its processes fails, and the others of its processes complete [S18]', async () => {
    const { join, pass, tasks } = cluster();
    const maker = join(() => forever, { kinds: [] });
    const made: TaskRecord[] = [];
    for (let n = 0; n < 6; n++) made.push(await create(maker));
    const killer = made[2]?.row.id;
    const states = async (): Promise<(string | undefined)[]> =>
      Promise.all(made.map(async ({ row }) => (await maker.read(row.id, 'ann'))?.task.state.is));
    const isOver = async (): Promise<boolean> =>
      (await states()).every((state) => state === 'completed' || state === 'failed');
    let processes = 0;
    for (; processes < 30 && !(await isOver()); processes++) {
      const process = mortal((die) => async (_, ctx) => {
        if (ctx.task?.id === killer) die();
        // The others take a while, so that each of them runs when the process is killed.
        if (ctx.task?.id === killer) return forever;
        await new Promise<void>((resolve) => void process.node.clock.after(5000, resolve));
        return 'done';
      });
      join(process.handler, process.node);
      await live(process, pass, isOver);
      await pass(leaseMs);
    }
    expect(await states()).toEqual(['completed', 'completed', 'failed', 'completed', 'completed', 'completed']);
    // The loss after which it was a suspect is not counted.
    expect(processes).toBe(maxCrashes + 3);
    const failed = await tasks.read(killer ?? '');
    expect(JSON.parse(failed?.data ?? '{}')).toMatchObject({ message: expect.stringContaining('6 times') });
  });

  it('a process runs one of its tasks at a time, beside others, until a step of it is stored [S18]', async () => {
    const { join, pass } = cluster();
    const maker = join(() => forever, { kinds: [] });
    const made = [await create(maker), await create(maker), await create(maker)];
    const ids = made.map(({ row }) => row.id);
    const begun: string[] = [];
    const lost = mortal((die) => (_, ctx) => {
      begun.push(ctx.task?.id ?? '');
      if (begun.length === 3) die();
      return forever;
    });
    join(lost.handler, lost.node);
    await lost.died;
    expect(begun.toSorted()).toEqual(ids.toSorted());
    begun.length = 0;
    const go = new Map(ids.map((id) => [id, { step: deferred(), end: deferred() }]));
    const second = join(async (_, ctx) => {
      const id = ctx.task?.id ?? '';
      begun.push(id);
      const gates = go.get(id);
      if (gates === undefined) return 'other';
      await gates.step.promise;
      await ctx.step('one', () => 1);
      await gates.end.promise;
      return 'done';
    });
    await pass(leaseMs + 3000);
    expect(begun).toHaveLength(1);
    const other = await create(second);
    await reached(second, other, 'completed');
    await pass(3000);
    expect(begun).toHaveLength(2);
    // A stored step clears the first: the next one runs beside it.
    go.get(begun[0] ?? '')?.step.resolve();
    await pass(3000);
    expect(begun).toHaveLength(3);
    const first = made.find(({ row }) => row.id === begun[0]);
    const next = made.find(({ row }) => row.id === begun[2]);
    if (first === undefined || next === undefined) throw new Error('Both are of the lost process.');
    expect((await viewOf(second, first)).task.suspect).toBeUndefined();
    expect((await viewOf(second, next)).task.suspect).toMatchObject({ crashes: 0 });
    for (const { step, end } of go.values()) {
      step.resolve();
      end.resolve();
    }
    for (const one of made) {
      const done = reached(second, one, 'completed');
      await pass(2000);
      expect((await done).task.suspect).toBeUndefined();
    }
  });

  it('a task that waits for its turn says so [S18]', async () => {
    const { join, pass } = cluster();
    const maker = join(() => forever, { kinds: [] });
    const made = [await create(maker), await create(maker)];
    let begun = 0;
    const lost = mortal((die) => () => {
      if (++begun === 2) die();
      return forever;
    });
    join(lost.handler, lost.node);
    await lost.died;
    const second = join(() => forever);
    await pass(leaseMs + 10_000);
    const texts = await Promise.all(made.map(async ({ row }) => (await second.read(row.id, 'ann'))?.waitsFor));
    expect(texts.filter((text) => text !== undefined)).toEqual([expect.stringContaining('its turn')]);
  });

  it('a process that closes hands a suspect over as one, uncounted [S18]', async () => {
    const { join, pass } = cluster();
    const lost = mortal((die) => () => {
      die();
      return forever;
    });
    const maker = join(() => forever, { kinds: [] });
    const made = await create(maker);
    join(lost.handler, lost.node);
    await lost.died;
    const begun = deferred();
    const second = join((_, { signal }) => {
      begun.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    await pass(leaseMs + 3000);
    await begun.promise;
    await second.close();
    expect((await viewOf(maker, made)).task).toMatchObject({ state: { is: 'ready' }, suspect: { crashes: 0 } });
  });
});
