/** The server requests that a client runs as tasks, in its memory: they outlive the connection that they came on. */

import type { RpcError } from '../../../jsonrpc/errors.ts';
import { withDefaults } from '../../../lib/options/read-options.ts';
import { toHex } from '../../../lib/text/hex.ts';
import type { Deadline, Deadlines } from '../../../lib/time/deadlines.ts';
import { createDeferred, type Deferred } from '../../../lib/values/deferred.ts';
import type { Fields } from '../../../lib/values/is.ts';
import { rpcError } from '../../../protocol/errors.ts';
import type { TaskInfo } from '../../../protocol/tasks/task-form.ts';
import { handlerTaskOptions } from './options.table.ts';
import type { HandlerTaskOptions } from './options.ts';
import { changeTask, messageOf, type TaskEvent, type TaskState } from './task-state.ts';

/** How many tasks one page of `tasks/list` has. */
const pageSize = 50;

/** The time that a task lives if the server asks for none. */
const defaultTtlMs = 60 * 60_000;

export interface RunningTask {
  readonly taskId: string;
  /** Tasks are listed in this order. */
  readonly number: number;
  readonly createdAt: number;
  readonly ttlMs: number;
  /** Aborted when the task is cancelled or its time is up. */
  readonly controller: AbortController;
  /** Resolves when the task is over. */
  readonly over: Deferred<void>;
  updatedAt: number;
  state: TaskState;
  deadline: Deadline | undefined;
}

export interface TaskPage {
  readonly tasks: readonly RunningTask[];
  readonly next: string | undefined;
}

export class RunningTasks {
  readonly #deadlines: Deadlines;
  readonly #maxTasks: number;
  readonly #maxTtlMs: number;
  readonly #pollIntervalMs: number;
  readonly #tasks = new Map<string, RunningTask>();
  #numbers = 0;
  /** Called when a task is over; set by the connection that the server last used for tasks. */
  onChange: ((task: RunningTask) => void) | undefined;

  constructor(options: HandlerTaskOptions, deadlines: Deadlines) {
    const { maxTasks, maxTtlMs, pollIntervalMs } = withDefaults(handlerTaskOptions, options);
    this.#deadlines = deadlines;
    this.#maxTasks = maxTasks;
    this.#maxTtlMs = maxTtlMs;
    this.#pollIntervalMs = pollIntervalMs;
  }

  /** Creates a task, unless too many are not over. Those that are over make room, the oldest first. */
  create(ttlMs = defaultTtlMs): RunningTask | RpcError {
    const over = [...this.#tasks.values()].filter(({ state }) => state.is !== 'working');
    if (this.#tasks.size - over.length >= this.#maxTasks)
      return rpcError('overloaded', `This client runs at most ${this.#maxTasks} tasks at once`);
    if (over.length >= this.#maxTasks) this.#delete(over[0] as RunningTask);
    const now = Date.now();
    const task: RunningTask = {
      taskId: newTaskId(),
      number: ++this.#numbers,
      createdAt: now,
      updatedAt: now,
      ttlMs: Math.min(Math.max(ttlMs, 1), this.#maxTtlMs),
      controller: new AbortController(),
      over: createDeferred(),
      state: { is: 'working' },
      deadline: undefined,
    };
    task.deadline = this.#deadlines.add(task.ttlMs, () => this.#expire(task), false);
    this.#tasks.set(task.taskId, task);
    return task;
  }

  find(taskId: string): RunningTask | RpcError {
    return this.#tasks.get(taskId) ?? unknownTask(taskId);
  }

  /** The tasks after a cursor, which is the number of the last one on the page before. */
  list(cursor: unknown): TaskPage | RpcError {
    if (cursor !== undefined && !/^\d{1,15}$/.test(String(cursor)))
      return rpcError('invalid-params', 'The cursor is not one that this client has sent');
    const after = [...this.#tasks.values()].filter(({ number }) => number > Number(cursor ?? 0));
    const tasks = after.slice(0, pageSize);
    return { tasks, next: after.length > pageSize ? String(tasks.at(-1)?.number) : undefined };
  }

  /** Returns whether the task has changed: one that is over does not. */
  change(task: RunningTask, event: TaskEvent): boolean {
    const next = changeTask(task.state, event);
    if (next === undefined) return false;
    task.state = next;
    task.updatedAt = Date.now();
    task.over.resolve();
    if (next.is === 'cancelled') task.controller.abort(next.reason);
    this.onChange?.(task);
    return true;
  }

  /** The client closes. */
  close(): void {
    this.onChange = undefined;
    for (const task of this.#tasks.values()) {
      this.change(task, { type: 'cancel', reason: 'the client closed' });
      this.#delete(task);
    }
  }

  infoOf(task: RunningTask): TaskInfo {
    return {
      taskId: task.taskId,
      status: task.state.is,
      isToolError: false,
      statusMessage: messageOf(task.state),
      createdAt: task.createdAt,
      updatedAt: task.updatedAt,
      ttlMs: task.ttlMs,
      pollIntervalMs: this.#pollIntervalMs,
    };
  }

  #expire(task: RunningTask): void {
    this.change(task, { type: 'cancel', reason: `its ttl of ${task.ttlMs} ms is over` });
    this.#delete(task);
  }

  #delete(task: RunningTask): void {
    this.#tasks.delete(task.taskId);
    if (task.deadline !== undefined) this.#deadlines.cancel(task.deadline);
  }
}

/** The result of a task that is over: as the request itself would have been answered. */
export function outcomeOf({ state, taskId }: RunningTask): Fields | RpcError {
  if (state.is === 'completed') return state.result;
  if (state.is === 'failed') return state.error;
  const text = state.is === 'cancelled' ? `The task was cancelled: ${state.reason}` : 'The task has not finished';
  return rpcError('server-error', text, { taskId });
}

export const alreadyFinished = ({ taskId }: RunningTask): RpcError =>
  rpcError('invalid-params', 'The task has already finished and cannot be cancelled', { taskId });

const unknownTask = (taskId: string): RpcError =>
  rpcError('invalid-params', 'There is no such task, or it is no longer stored', { taskId: taskId.slice(0, 100) });

/** 128 random bits: a server cannot guess the tasks of another one. */
const newTaskId = (): string => toHex(crypto.getRandomValues(new Uint8Array(16)));
