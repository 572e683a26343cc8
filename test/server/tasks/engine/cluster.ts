/** Several processes that share a store of tasks, each with its own engine; time passes as the test says. */
import { type Context, createServer, type TaskOptions, tool } from 'tenon';
import { defaultsOf } from '../../../../src/lib/options/read-options.ts';
import type { Clock } from '../../../../src/lib/time/deadlines.ts';
import { createFakeClock } from '../../../../src/lib/time/fake-clock.ts';
import type { Done } from '../../../../src/protocol/neutral.ts';
import { internalsOf } from '../../../../src/server/internals.ts';
import type { TaskCall } from '../../../../src/server/lifecycle/tasks/engine/entries.ts';
import { TaskEngine, type TaskView, taskSettings } from '../../../../src/server/lifecycle/tasks/engine/task-engine.ts';
import type { TaskOrder, TaskRecord } from '../../../../src/server/lifecycle/tasks/engine/task-records.ts';
import { taskLimits } from '../../../../src/server/ports/option-groups.table.ts';
import type { TaskLimitSettings } from '../../../../src/server/ports/option-settings.ts';
import { createMemoryStore } from '../../../../src/store/memory.ts';
import type { MessageBus } from '../../../../src/store/message-bus.ts';
import type { TaskStore } from '../../../../src/store/task-store.ts';

export type Handler = (args: Record<string, unknown>, context: Context) => unknown;

export interface Node {
  /** The options of the tool. */
  readonly task?: TaskOptions;
  /** A clock of its own. Such a process gets no hints of others: with a clock that stands still, it is one that was stopped. */
  readonly clock?: Clock;
  readonly limits?: Partial<TaskLimitSettings>;
  readonly kinds?: readonly string[];
  /** The store as this process reaches it; default that of the cluster. */
  readonly reached?: (tasks: TaskStore) => TaskStore;
}

const engines: TaskEngine[] = [];

/** For `afterEach`. */
export async function closeEngines(): Promise<void> {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
}

/** Hints about tasks are published with their writes: both are of one store. */
interface ClusterStore {
  readonly tasks: TaskStore;
  readonly bus: MessageBus;
}

/** `storeOf` makes the store, by its clock; default one in memory. */
export function cluster(storeOf: (now: () => number) => ClusterStore = (now) => createMemoryStore({ now })) {
  const clock = createFakeClock();
  let setBy = 0;
  const { tasks, bus } = storeOf(() => 1_700_000_000_000 + setBy + clock.now());
  const errors: unknown[] = [];
  function join(handler: Handler, { task = {}, clock: own, limits = {}, kinds, reached }: Node = {}): TaskEngine {
    const server = createServer(
      { name: 'shop', version: '1.0.0', tools: { report: tool({ task }, handler as never) } },
      { onError: (error) => void errors.push(error) },
    );
    const { serving, offered } = internalsOf(server);
    const engine = new TaskEngine(
      {
        serving,
        tasks: reached?.(tasks) ?? tasks,
        bus: own === undefined ? bus : createMemoryStore().bus,
        clock: own ?? clock,
        kinds: () => kinds ?? ['shop/report@'],
        revision: (id) => offered.revisions.find((one) => one.id === id),
      },
      taskSettings({ ...defaultsOf(taskLimits), ...limits }),
    );
    engines.push(engine);
    engine.start();
    return engine;
  }
  return {
    clock,
    tasks,
    errors,
    join,
    /** Sets the clock of the store. */
    setStoreClock: (ms: number) => {
      setBy += ms;
    },
    /** Lets time pass, and what happens in it. */
    async pass(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += 1000) {
        clock.advance(Math.min(1000, ms - passed));
        await settled();
      }
    },
  };
}

/** What was begun is done, as far as it needs no time. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
}

const call: TaskCall = {
  params: { name: 'report', arguments: {} },
  meta: {},
  revision: '2026-07-28',
  capabilities: { elicitation: { form: {} } },
};

export async function create(engine: TaskEngine, more: Partial<TaskOrder> = {}): Promise<TaskRecord> {
  const order = { ttlMs: 3_600_000, deadlineMs: 86_400_000, pollIntervalMs: 1000, ...more };
  const made = await engine.create({ owner: 'ann', kind: 'shop/report@', ...order, call });
  if (typeof made === 'string') throw new Error(made);
  return made;
}

/** Waits for a state of a task, by the changes that the engine reports. */
export function reached(engine: TaskEngine, { row }: TaskRecord, is: string): Promise<TaskRecord> {
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

export async function viewOf(engine: TaskEngine, { row }: TaskRecord): Promise<TaskView> {
  const view = await engine.view(row.id, 'ann');
  if (view === undefined) throw new Error('The task is not stored.');
  return view;
}

/** The text that a task has returned. */
export async function textOf(engine: TaskEngine, record: TaskRecord): Promise<unknown> {
  const { outcome } = (await viewOf(engine, record)).journal;
  const [first] = ((outcome as Done | undefined)?.result?.content ?? []) as { readonly text: string }[];
  return first?.text;
}
