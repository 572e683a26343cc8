/** Workers as processes of their own, and the tasks that they run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { readJournal } from '../../../src/server/lifecycle/tasks/engine/entries.ts';
import { isOver } from '../../../src/server/lifecycle/tasks/engine/task.ts';
import { type TaskRecord, TaskRecords } from '../../../src/server/lifecycle/tasks/engine/task-records.ts';
import type { TaskStore } from '../../../src/store/task-store.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { engines } from '../../kit/stores/engines.ts';
import { openAt } from '../../kit/stores/open-at.ts';
import { withTimeout } from '../../kit/with-timeout.ts';

export type Line = Readonly<Record<string, unknown>>;

export interface WorkerProcess {
  readonly lines: readonly Line[];
  /** Resolves when the worker has written such a line. */
  said(fits: (line: Line) => boolean): Promise<Line>;
  signal(name: NodeJS.Signals): void;
  /** The exit code, or the signal. */
  readonly exited: Promise<unknown>;
}

let bundled: Promise<string> | undefined;

export async function startWorker(name: string, store: string): Promise<WorkerProcess> {
  bundled ??= bundledProgram('worker-process', 'worker');
  const args = [await bundled, name, store];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit').then(([code, signal]) => code ?? signal);
  onTestFinished(async () => {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await exited;
  });
  const lines: Line[] = [];
  const listeners = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (text) => {
    lines.push(JSON.parse(text) as Line);
    for (const look of listeners) look();
  });
  const said = (fits: (line: Line) => boolean): Promise<Line> =>
    withTimeout(
      new Promise((resolve) => {
        const look = (): void => {
          const found = lines.find(fits);
          if (found === undefined) return;
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
      }),
      `a line of the worker ${name}`,
    );
  await said(({ ready }) => ready === true);
  return { lines, said, signal: (signal) => void child.kill(signal), exited };
}

/** A store for one test: its URL, and the tasks in it. */
export async function newTasks(engine = engines.sqlite): Promise<{ readonly url: string; readonly tasks: TaskStore }> {
  const started = await engine.start();
  onTestFinished(() => started.close());
  const { url } = started.next();
  const store = await openAt({ url, space: '' }, { commandMs: 60_000, connectMs: 60_000 });
  onTestFinished(() => store.close());
  return { url, tasks: store.tasks };
}

const room = { maxLive: 100, maxStored: 100, maxInShard: 100 };
const rules = { leaseMs: 60_000, maxCrashes: 5, retentionMs: 60_000 };

/** Creates a task of the tool `report`, as a process with an endpoint does. */
export async function createReport(tasks: TaskStore): Promise<TaskRecord> {
  const call = { params: { name: 'report', arguments: {} }, meta: {}, revision: '2026-07-28', capabilities: {} };
  const order = { owner: 'ann', kind: 'jobs/report@', ttlMs: 3_600_000, deadlineMs: 3_600_000, pollIntervalMs: 1000 };
  const entries = [JSON.stringify({ is: 'call', call })];
  const made = await new TaskRecords(tasks, rules).create({ ...order, entries }, room);
  if (typeof made === 'string') throw new Error(made);
  return made;
}

/**
 * Ends the lease of the worker that has the task, as its time does. Leases of workers are long: one that a busy machine
 * holds up must not lose its task, nor be stopped while it renews the lease, which locks the store.
 */
export async function endLease(tasks: TaskStore, { row }: TaskRecord): Promise<void> {
  const found = await tasks.read(row.id);
  if (found === undefined) throw new Error('There is no such task.');
  const isWritten = await tasks.write(found, { data: found.data, claimInMs: 0, isOver: false, entries: [] });
  if (!isWritten) throw new Error('The worker has written to the task meanwhile.');
}

/** The task when it is over, and its journal. */
export async function whenOver(tasks: TaskStore, { row }: TaskRecord) {
  const look = async () => {
    for (;;) {
      const found = await new TaskRecords(tasks, rules).read(row.id, row.owner);
      if (found !== undefined && isOver(found.task)) return found.task;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const task = await withTimeout(look(), 'the task to be over');
  return { task, journal: readJournal(row.id, await tasks.readJournal(row.id, 0)) };
}
