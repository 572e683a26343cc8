/** `startTaskWorker()`: runs the tasks of a server in a process without an endpoint. */

import { toWarning } from '../jsonrpc/errors.ts';
import { createLog, logWarning } from '../lib/errors/logger.ts';
import { TenonError } from '../lib/errors/tenon-error.ts';
import { createWarningLog } from '../lib/errors/warning-log.ts';
import { type Filled, readOptions } from '../lib/options/read-options.ts';
import { internalsOf, type ServerLike } from '../server/internals.ts';
import { checkStore } from '../server/kernel/store-check.ts';
import type { Store } from '../store/store.ts';
import { addressIn } from './open-store.ts';
import { closeOnSignals } from './process/close-on-signals.ts';
import { isWithoutStore, openServiceStore, reportStore } from './service-store.ts';
import { taskWorkerOptions } from './task-worker-options.table.ts';
import type { TaskWorkerOptions } from './task-worker-options.ts';

/** A process that runs tasks. */
export interface TaskWorker {
  /** The store in use: `store.durability` is what it survives. */
  readonly store: Store;
  /** Takes no more tasks, waits for the steps that run (`tasks.shutdownMs`), hands the tasks to other processes, and closes a store that was opened by its URL. */
  close(): Promise<void>;
}

/** The longest time that a timer can have. */
const longestMs = 2 ** 31 - 1;

/**
 * Runs the tasks of a server without an endpoint, until it is closed: those that processes with an endpoint create in the
 * same store. How many at once is `tasks.maxConcurrent` of the server.
 *
 * ```ts
 * await startTaskWorker(server, { store: 'redis://localhost:6379', closeOnSignals: true });
 * ```
 */
export async function startTaskWorker(server: ServerLike, options: TaskWorkerOptions): Promise<TaskWorker> {
  const settings = readWork(server, options);
  const { storeMs } = settings.timeouts;
  const service = await openServiceStore(settings.store);
  const store = service.store as Store;
  const log = settings.logger && createLog(settings.logger);
  const report = settings.onWarning ?? (log === undefined ? createWarningLog() : () => {});
  const warn = (warning: TenonError): void => {
    if (log !== undefined) logWarning(log, warning);
    report(warning);
  };
  service.onError = (error) => warn(toWarning(error));
  let used: { release(): Promise<void> };
  try {
    if (store.tasks === undefined) throw withoutTasks();
    used = internalsOf(server).useStore(store, storeMs);
  } catch (error) {
    await service.close();
    throw error;
  }
  reportStore(store, log, warn);
  // The timers of tasks alone do not keep a process alive.
  const alive = setInterval(() => {}, longestMs);
  let closing: Promise<void> | undefined;
  async function shutDown(): Promise<void> {
    log?.('info', {}, 'draining');
    await used.release();
    await service.close();
    clearInterval(alive);
    ignoreSignals?.();
  }
  const close = (): Promise<void> => (closing ??= shutDown());
  const ignoreSignals = settings.closeOnSignals ? closeOnSignals(close) : undefined;
  return { store, close };
}

function readWork(server: ServerLike, options: TaskWorkerOptions): Filled<TaskWorkerOptions, typeof taskWorkerOptions> {
  const { serving } = internalsOf(server);
  const read = readOptions('startTaskWorker()', taskWorkerOptions, options);
  const { store } = read;
  if (isWithoutStore(store)) throw withoutStore();
  if (typeof store === 'string') addressIn(store);
  else checkStore('startTaskWorker()', store);
  if (!serving.tasks.isOffered) throw withoutTools();
  return read;
}

const withoutStore = (): TenonError =>
  new TenonError(
    'invalid-argument',
    'startTaskWorker(): store is missing: the tasks are in a store that processes share.',
    {
      hint: "Pass the store of the processes that create them, such as { store: 'sqlite:./tenon.db' }.",
      details: { place: 'store' },
    },
  );

const withoutTasks = (): TenonError =>
  new TenonError('invalid-argument', 'startTaskWorker(): this store holds no tasks.', {
    hint: 'Pass a store that has the property `tasks`.',
    details: { place: 'store' },
  });

const withoutTools = (): TenonError =>
  new TenonError('invalid-argument', 'startTaskWorker(): no tool of this server runs as a task.', {
    hint: "Set the option task of a tool, such as tool({ task: 'required' }, …).",
  });
