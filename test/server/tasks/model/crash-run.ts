/** Runs a task with processes that stop one after the other, and a last one that does not; returns what came of it. */
import { createServer, tool } from 'tenon/server';
import { createMemoryStore } from 'tenon/store';
import { defaultsOf } from '../../../../src/lib/options/read-options.ts';
import { createFakeClock } from '../../../../src/lib/time/fake-clock.ts';
import { internalsOf } from '../../../../src/server/internals.ts';
import type { Entry } from '../../../../src/server/lifecycle/tasks/engine/entries.ts';
import type { Task } from '../../../../src/server/lifecycle/tasks/engine/task.ts';
import { TaskEngine, taskSettings } from '../../../../src/server/lifecycle/tasks/engine/task-engine.ts';
import { taskLimits } from '../../../../src/server/ports/option-groups.table.ts';
import { deferred } from '../../../kit/deferred.ts';
import { type CrashingStore, crashing, type Moment } from './crashing.ts';
import { answerTo, type Program, runProgram, type StepEffect } from './program.ts';
import type { TestedStore } from './task-stores.ts';

export interface Crash {
  readonly at: number;
  readonly moment: Moment;
}

export interface CrashedRun {
  readonly task: Task;
  readonly journal: readonly Entry[];
  readonly effects: readonly StepEffect[];
  /** Steps in the journal when each process stopped. */
  readonly storedAt: readonly (readonly string[])[];
  /** How many operations the first process began. */
  readonly operations: number;
}

const leaseMs = 15_000;
const owner = 'ann';

const order = {
  owner,
  kind: 'shop/report',
  // A client that does not know its task sends its call again.
  key: { name: 'k', digest: 'd' },
  ttlMs: 3_600_000,
  deadlineMs: 86_400_000,
  pollIntervalMs: 1000,
  call: {
    params: { name: 'report', arguments: {} },
    meta: {},
    revision: '2026-07-28',
    capabilities: { elicitation: { form: {} } },
  },
};

export async function runWithCrashes(
  program: Program,
  crashes: readonly Crash[],
  open: (now: () => number) => Promise<TestedStore>,
): Promise<CrashedRun> {
  const clock = createFakeClock();
  const start = 1_700_000_000_000;
  const { tasks, close } = await open(() => start + clock.now());
  const effects: StepEffect[] = [];
  const processes: { readonly engine: TaskEngine; readonly store: CrashingStore }[] = [];
  const storedAt: string[][] = [];
  let id = '';

  function begin({ at, moment }: Partial<Crash>): { readonly engine: TaskEngine; readonly store: CrashingStore } {
    const store = crashing(tasks, at, moment);
    const number = processes.length;
    const report = tool({}, (_given, ctx) => runProgram(program, ctx as never, number, effects));
    const server = createServer({ name: 'shop', version: '1.0.0', tools: { report } }, { onError: () => undefined });
    const { serving, offered } = internalsOf(server);
    const ports = {
      serving,
      tasks: store.tasks,
      // No hints between processes: each finds out by itself.
      bus: createMemoryStore().bus,
      clock,
      kinds: () => ['shop/report'],
      revision: (name: string) => offered.revisions.find((one) => one.id === name),
    };
    const engine = new TaskEngine(ports, taskSettings({ ...defaultsOf(taskLimits), leaseMs }));
    const process = { engine, store };
    processes.push(process);
    return process;
  }

  /** Has the task carried out by one process, which also brings it the answers; until it is over, or the process stops. */
  async function carryOut(engine: TaskEngine): Promise<void> {
    engine.start();
    const made = await engine.create(order);
    if (typeof made === 'string') throw new Error(made);
    id = made.row.id;
    for (;;) {
      const changed = deferred();
      const stop = engine.follow(id, () => changed.resolve());
      const view = await engine.view(id, owner);
      if (view === undefined || ['completed', 'failed', 'cancelled'].includes(view.task.state.is)) return stop();
      const open = Object.keys(view.journal.open);
      if (open.length === 0) await changed.promise;
      // One by one: a process may stop between two.
      else await engine.answer(view, { [open[0] as string]: answerTo((open[0] as string).split('.')[1] ?? '') });
      stop();
    }
  }

  const journal = async (): Promise<Entry[]> =>
    id === '' ? [] : (await tasks.readJournal(id, 0)).map((text) => JSON.parse(text) as Entry);

  try {
    for (const crash of crashes) {
      const { engine, store } = begin(crash);
      await Promise.race([store.crashed, carryOut(engine)]);
      storedAt.push((await journal()).flatMap((entry) => (entry.is === 'step' ? [entry.key] : [])));
      // Its lease lapses.
      clock.advance(leaseMs);
    }
    const last = begin({});
    await carryOut(last.engine);
    await last.engine.close();
    for (const { store } of processes) store.wake();
    // What the woken processes do is refused: the journal below has none of it.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    const row = await tasks.read(id);
    const task = JSON.parse(row?.data ?? '{}') as Task;
    return { task, journal: await journal(), effects, storedAt, operations: processes[0]?.store.operations ?? 0 };
  } finally {
    await close();
  }
}
