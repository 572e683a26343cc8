import { afterEach, describe, expect, it } from 'vitest';
import { defaultsOf } from '../../../../lib/options/read-options.ts';
import type { Clock } from '../../../../lib/time/deadlines.ts';
import { createFakeClock } from '../../../../lib/time/fake-clock.ts';
import type { Done } from '../../../../protocol/neutral.ts';
import { createMemoryStore } from '../../../../store/memory.ts';
import type { Context } from '../../../definition/context.ts';
import { tool } from '../../../features/tool.ts';
import { internalsOf } from '../../../internals.ts';
import { taskLimits } from '../../../ports/option-groups.table.ts';
import { createServer } from '../../../server.ts';
import type { TaskCall } from './entries.ts';
import { TaskEngine, taskSettings } from './task-engine.ts';
import type { TaskOrder, TaskRecord } from './task-records.ts';

type Handler = (args: Record<string, unknown>, context: Context) => Promise<string>;

const settings = taskSettings(defaultsOf(taskLimits));
const engines: TaskEngine[] = [];
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

/** Several processes that share a store, each with its own engine. */
function cluster() {
  const clock = createFakeClock();
  const start = 1_700_000_000_000;
  const { tasks, bus } = createMemoryStore({ now: () => start + clock.now() });
  const errors: unknown[] = [];
  const join = (handler: Handler, own: Clock = clock): TaskEngine => {
    const server = createServer(
      { name: 'shop', version: '1.0.0', tools: { report: tool({}, handler as never) } },
      { onError: (error) => void errors.push(error) },
    );
    const { serving, offered } = internalsOf(server);
    const engine = new TaskEngine(
      {
        serving,
        tasks,
        bus,
        clock: own,
        kinds: () => ['shop/report'],
        revision: (id) => offered.revisions.find((one) => one.id === id),
      },
      settings,
    );
    engines.push(engine);
    engine.start();
    return engine;
  };
  return { clock, tasks, join, errors };
}

const call: TaskCall = {
  params: { name: 'report', arguments: {} },
  meta: {},
  revision: '2026-07-28',
  capabilities: { elicitation: { form: {} } },
};

async function create(engine: TaskEngine, more: Partial<TaskOrder> = {}): Promise<TaskRecord> {
  const order = {
    owner: 'ann',
    kind: 'shop/report',
    ttlMs: 3_600_000,
    deadlineMs: 86_400_000,
    pollIntervalMs: 1000,
    ...more,
    call,
  };
  const made = await engine.create(order);
  if (typeof made === 'string') throw new Error(made);
  return made;
}

/** Waits for a state of a task, by the changes that the engine reports. */
function reached(engine: TaskEngine, { row }: TaskRecord, is: string): Promise<TaskRecord> {
  return new Promise((resolve, reject) => {
    const look = async (): Promise<void> => {
      const found = await engine.read(row.id, 'ann');
      if (found?.task.state.is !== is) return;
      stop();
      resolve(found);
    };
    const stop = engine.follow(row.id, () => void look().catch(reject));
    look().catch(reject);
  });
}

function promised<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: (value) => resolve(value) };
}

const textOf = (outcome: unknown): unknown => (outcome as Done).result.content;

describe('tasks', () => {
  it('are carried out, and their result is stored', async () => {
    const { join } = cluster();
    const engine = join(async () => 'done');
    const made = await create(engine);
    await reached(engine, made, 'completed');
    const view = await engine.view(made.row.id, 'ann');
    expect(textOf(view?.journal.outcome)).toEqual([{ type: 'text', text: 'done' }]);
  });

  it('are not begun by a process whose lease has lapsed before the store has answered', async () => {
    const { join, clock, tasks } = cluster();
    const { take } = tasks;
    const begun = promised<void>();
    const slow = promised<void>();
    // The first process that takes the task waits for the answer as long as the lease lasts.
    tasks.take = async (...given) => {
      const found = await take(...given);
      if (found.length === 0) return found;
      tasks.take = take;
      begun.resolve();
      await slow.promise;
      return found;
    };
    const runs: string[] = [];
    const first = join(async () => {
      runs.push('first');
      return 'done by the first';
    });
    const made = await create(first);
    await begun.promise;
    clock.advance(16_000);
    const second = join(async () => {
      runs.push('second');
      return 'done by the second';
    });
    await reached(second, made, 'completed');
    slow.resolve();
    await new Promise(setImmediate);
    expect(runs).toEqual(['second']);
  });

  it('store each step before they go on, and a process that takes over does not repeat it', async () => {
    const { join, clock } = cluster();
    const runs: string[] = [];
    const reachedEnd = promised<void>();
    const handler =
      (name: string, wait: Promise<unknown>): Handler =>
      async (_, { step }) => {
        const one = await step('one', (run) => {
          runs.push(`${name} one ${run.mayHaveRun}`);
          return 1;
        });
        const two = await step('two', (run) => {
          runs.push(`${name} two ${run.mayHaveRun}`);
          return 2;
        });
        if (name === 'first') reachedEnd.resolve(undefined);
        await wait;
        return `${one + two}`;
      };
    // The first process never ends its run, and beats no more: its clock stands still.
    const first = join(handler('first', new Promise(() => {})), createFakeClock());
    const made = await create(first);
    await reachedEnd.promise;
    const second = join(handler('second', Promise.resolve()));
    clock.advance(settings.leaseMs);
    await reached(second, made, 'completed');
    expect(runs).toEqual(['first one false', 'first two false']);
    expect(textOf((await second.view(made.row.id, 'ann'))?.journal.outcome)).toEqual([{ type: 'text', text: '3' }]);
  });

  it('are held by the newer run of a process that has taken them twice', async () => {
    const { join, clock } = cluster();
    const own = createFakeClock();
    const flush = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
    const releases: (() => void)[] = [];
    const signals: AbortSignal[] = [];
    const engine = join(async (_, { step, signal }) => {
      signals.push(signal);
      return step('slow', () => new Promise<string>((resolve) => void releases.push(() => resolve('done'))));
    }, own);
    const made = await create(engine);
    await reached(engine, made, 'running');
    await flush();
    // The lease lapses before the process notices, and it takes the task again.
    clock.advance(settings.leaseMs);
    own.advance(1000);
    await flush();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    // The end of the older run leaves the newer one alone: it still beats.
    releases[0]?.();
    await flush();
    clock.advance(settings.leaseMs * 0.7);
    own.advance(settings.leaseMs / 3);
    await flush();
    clock.advance(settings.leaseMs * 0.7);
    own.advance(1000);
    await flush();
    expect(releases).toHaveLength(2);
    releases[1]?.();
    await reached(engine, made, 'completed');
  });

  it('park without a worker while they wait for an answer, and go on in any process', async () => {
    const { join } = cluster();
    const handler: Handler = async (_, ctx) => {
      const answer = await ctx.elicit('name', { message: 'Who?', schema: nameSchema });
      return `Hello, ${(answer as { content?: { name?: string } }).content?.name}`;
    };
    const [first, second] = [join(handler), join(handler)];
    const made = await create(first);
    const parked = await reached(first, made, 'parked');
    const view = await second.view(made.row.id, 'ann');
    expect(Object.keys(view?.journal.open ?? {})).toEqual(['1.name']);
    expect(await second.answer(parked, { unknown: {} })).toBe('not-now');
    await second.answer(parked, { '1.name': { action: 'accept', content: { name: 'Ann' } } });
    await reached(first, made, 'completed');
    const done = await first.view(made.row.id, 'ann');
    expect(textOf(done?.journal.outcome)).toEqual([{ type: 'text', text: 'Hello, Ann' }]);
    expect(done?.task).toMatchObject({ attempts: 1, crashes: 0 });
  });

  it('end when they are cancelled, wherever they run', async () => {
    const { join } = cluster();
    const aborted = promised<unknown>();
    const begun = promised<void>();
    const handler: Handler = async (_, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve(signal.reason));
      begun.resolve(undefined);
      await aborted.promise;
      return 'too late';
    };
    const [first, second] = [join(handler), join(handler)];
    const made = await create(first);
    await begun.promise;
    const record = await second.read(made.row.id, 'ann');
    expect(await second.cancel(record as TaskRecord)).toMatchObject({ task: { state: { is: 'cancelled' } } });
    await aborted.promise;
    const view = await second.view(made.row.id, 'ann');
    expect(view?.task.state.is).toBe('cancelled');
    expect(view?.journal.outcome).toBeUndefined();
  });

  it('are handed over by a process that closes, without counting its run', async () => {
    const { join } = cluster();
    const begun = promised<void>();
    const first = join(async (_, { step, signal }) => {
      await step('one', () => 1);
      begun.resolve(undefined);
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return 'never';
    });
    const made = await create(first);
    await begun.promise;
    await first.close();
    const second = join(async (_, { step }) => `${await step('one', () => 'ran again')}`);
    const { task } = await reached(second, made, 'completed');
    expect(task).toMatchObject({ attempts: 1, crashes: 0 });
    expect(textOf((await second.view(made.row.id, 'ann'))?.journal.outcome)).toEqual([{ type: 'text', text: '1' }]);
  });

  it('store the step that runs while another part of the handler asks', async () => {
    const { join } = cluster();
    let runs = 0;
    const release = promised<void>();
    const asked = promised<void>();
    const handler: Handler = async (_, ctx) => {
      const slow = ctx.step('slow', async () => {
        runs++;
        await release.promise;
        return 'stored';
      });
      const answer = ctx.elicit('name', { message: 'Who?', schema: nameSchema });
      queueMicrotask(() => asked.resolve());
      await Promise.all([slow, answer]);
      return `${await slow}`;
    };
    const engine = join(handler);
    const made = await create(engine);
    await asked.promise;
    release.resolve(undefined);
    const parked = await reached(engine, made, 'parked');
    await engine.answer(parked, { '1.name': { action: 'decline' } });
    await reached(engine, made, 'completed');
    expect(runs).toBe(1);
  });

  it('fail at their deadline, also while they run', async () => {
    const { join, clock } = cluster();
    const engine = join(() => new Promise(() => {}));
    const made = await create(engine, { deadlineMs: 60_000 });
    await reached(engine, made, 'running');
    const failed = reached(engine, made, 'failed');
    for (let passed = 0; passed < 80_000; passed += 1000) {
      clock.advance(1000);
      // What was written by the timers is done before time goes on.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await failed).task).toMatchObject({ message: expect.stringContaining('deadline'), crashes: 0 });
  });

  it('are the same task for the same key', async () => {
    const { join } = cluster();
    let runs = 0;
    const engine = join(async () => `run ${++runs}`);
    const key = { name: 'k', digest: 'd' };
    const [one, two] = await Promise.all([create(engine, { key }), create(engine, { key })]);
    expect(two.row.id).toBe(one.row.id);
    await reached(engine, one, 'completed');
    expect(runs).toBe(1);
  });
});

const nameSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) => ({ value }),
    jsonSchema: {
      input: () => ({ type: 'object', properties: { name: { type: 'string' } } }),
      output: () => ({ type: 'object', properties: { name: { type: 'string' } } }),
    },
  },
} as never;
