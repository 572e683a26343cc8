/** Notifications about tasks. They are hints: they may be lost, and polls find the same. */
import { listenForAbort, stopListening } from '../../../jsonrpc/abort-listeners.ts';
import type { Notification } from '../../../protocol/neutral.ts';

/** Of sessions, and of the extension. */
const statusChanges: ReadonlySet<string> = new Set(['notifications/tasks/status', 'notifications/tasks']);

export class TaskHints {
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #closed = new AbortController();

  /** Aborted when the client closes. */
  get closedSignal(): AbortSignal {
    return this.#closed.signal;
  }

  /** Calls the listener when a task is over, or requires input. Returns a function that removes it. */
  #listen(taskId: string, listener: () => void): () => void {
    const known = this.#listeners.get(taskId) ?? new Set();
    this.#listeners.set(taskId, known.add(listener));
    return () => {
      known.delete(listener);
      if (known.size === 0 && this.#listeners.get(taskId) === known) this.#listeners.delete(taskId);
    };
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
    const unlisten = this.#listen(taskId, wake);
    if (signal?.aborted) wake();
    else if (signal !== undefined) listenForAbort(signal, wake);
    await pauses.pause(ms, woken.signal);
    unlisten();
    if (signal !== undefined) stopListening(signal, wake);
  }

  /** A task that only works on is not worth a request. */
  onNotification({ method, params = {} }: Notification): void {
    if (!statusChanges.has(method) || params.status === 'working') return;
    for (const listener of this.#listeners.get(params.taskId as string) ?? []) listener();
  }

  close(reason: Error): void {
    this.#closed.abort(reason);
  }
}
