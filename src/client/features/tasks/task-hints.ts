/** Notifications about tasks: hints that may be lost, and whose content polls find as well, except outcomes of the founding documents. */
import { listenForAbort, stopListening } from '../../../lib/time/abort-listeners.ts';
import type { Fields } from '../../../lib/values/is.ts';
import type { Notification } from '../../../protocol/neutral.ts';
import type { ProgressUpdate } from '../../../protocol/progress.ts';

/** Of sessions, of the extension, and of the founding documents. */
const statusChanges: ReadonlySet<string> = new Set([
  'notifications/tasks/status',
  'notifications/tasks',
  'notifications/tasks/completed',
  'notifications/tasks/failed',
]);

/** The notifications of the founding documents that have the outcome of a task, with its status. */
const finishes: ReadonlyMap<string, string> = new Map([
  ['notifications/tasks/completed', 'completed'],
  ['notifications/tasks/failed', 'failed'],
]);

/** How many outcomes wait for the call that follows their task: one may arrive before its ID is known here. */
const maxOutcomes = 16;

type Listener = (notified: Readonly<Fields>) => void;

export class TaskHints {
  readonly #changes = new Map<string, Set<Listener>>();
  readonly #statuses = new Map<string, Set<Listener>>();
  readonly #progress = new Map<string, Set<Listener>>();
  readonly #outcomes = new Map<string, Readonly<Fields>>();
  readonly #closed = new AbortController();

  /** Aborted when the client closes. */
  get closedSignal(): AbortSignal {
    return this.#closed.signal;
  }

  /** Calls the listener with progress that comes under the ID of a task. Returns a function that removes it. */
  onProgress(taskId: string, listener: (update: ProgressUpdate) => void): () => void {
    return listen(this.#progress, taskId, ({ progress, currentStep }) => {
      if (typeof progress !== 'number') return;
      listener({ progress, total: 1, ...(typeof currentStep === 'string' && { message: currentStep }) });
    });
  }

  /** Calls the listener with each notification that has the status of a task. Returns a function that removes it. */
  onStatus(taskId: string, listener: (task: Readonly<Fields>) => void): () => void {
    return listen(this.#statuses, taskId, listener);
  }

  /** Waits before a task is read again: until the time has passed, a notification came, or the signal is aborted. */
  async wait(
    pauses: { pause(ms: number, signal: AbortSignal): Promise<void> },
    taskId: string,
    ms: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    const unlisten = listen(this.#changes, taskId, wake);
    if (signal?.aborted) wake();
    else if (signal !== undefined) listenForAbort(signal, wake);
    await pauses.pause(ms, woken.signal);
    unlisten();
    if (signal !== undefined) stopListening(signal, wake);
  }

  /** The fields of a finished task, as a notification had them. */
  outcomeOf(taskId: string): Readonly<Fields> | undefined {
    return this.#outcomes.get(taskId);
  }

  /** Drops the outcome of a task that is no longer followed. */
  forget(taskId: string): void {
    this.#outcomes.delete(taskId);
  }

  /** A task that only works on is not worth a request. */
  onNotification({ method, params = {} }: Notification): void {
    const taskId = params.taskId as string;
    if (method === progressed) return notify(this.#progress, taskId, params);
    const finished = finishes.get(method);
    const fields = finished === undefined ? params : { ...params, status: params.status ?? finished };
    if (finished !== undefined) this.#keep(fields);
    if (!statusChanges.has(method)) return;
    notify(this.#statuses, taskId, fields);
    if (params.status !== 'working') notify(this.#changes, taskId, params);
  }

  #keep(fields: Readonly<Fields>): void {
    this.#outcomes.set(String(fields.taskId), fields);
    const [oldest] = this.#outcomes.keys();
    if (this.#outcomes.size > maxOutcomes && oldest !== undefined) this.#outcomes.delete(oldest);
  }

  close(reason: Error): void {
    this.#closed.abort(reason);
  }
}

const progressed = 'notifications/tasks/progress';

function notify(all: ReadonlyMap<string, Set<Listener>>, taskId: string, params: Readonly<Fields>): void {
  for (const listener of all.get(taskId) ?? []) listener(params);
}

/** Returns a function that removes the listener. */
function listen(all: Map<string, Set<Listener>>, taskId: string, listener: Listener): () => void {
  const known = all.get(taskId) ?? new Set();
  all.set(taskId, known.add(listener));
  return () => {
    known.delete(listener);
    if (known.size === 0 && all.get(taskId) === known) all.delete(taskId);
  };
}
