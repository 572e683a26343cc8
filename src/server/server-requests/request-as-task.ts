/** Sends a request that the client runs as a task: polls its status until it has finished, and gets its result. */

import { RpcError, standardCodes } from '../../jsonrpc/errors.ts';
import { maxIdChars } from '../../jsonrpc/message.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { listenForAbort, stopListening } from '../../lib/time/abort-listeners.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type { Fields } from '../../lib/values/is.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { InputRequest } from '../../protocol/neutral.ts';
import type { TaskRequest } from '../ports/link.ts';
import type { FollowedTask, TaskHints } from './task-hints.ts';

/**
 * Time between two looks at a request that the client runs as a task.
 * @limit server
 * @default computed what `pollInterval` of the client says, between 100 ms and 60 s; else 1 s
 */
const pollMs = { default: 1000, least: 100, most: 60_000 };

/** How long the client has to answer one request about a task. The next poll tries again. */
const responseMs = 60_000;

/** Why a request of a task is aborted for good. For any other reason, a later connection follows the client's task again. */
export const taskOver = 'the task is over';

export interface ClientTaskPorts {
  readonly deadlines: Deadlines;
  readonly hints: TaskHints;
  /** How long the client has to start the task. */
  readonly inputMs: number;
  /** Sends a request and resolves with its result: `task` has the task if the client started one. */
  send(request: InputRequest, timeoutMs: number, signal?: AbortSignal): Promise<Fields>;
}

/** A task as the client describes it. */
interface TaskFields {
  readonly taskId: string;
  readonly status: string;
  readonly ttl?: number | null;
  readonly pollInterval?: number;
}

/** Resolves with the result of the request. A client may also answer without a task. */
export async function requestAsTask(
  ports: ClientTaskPorts,
  request: InputRequest,
  wanted: TaskRequest,
  signal: AbortSignal,
): Promise<Fields> {
  const { hints } = ports;
  hints.begin();
  let started: Fields = {};
  let followed: FollowedTask;
  try {
    started = await start(ports, request, wanted, signal);
  } finally {
    followed = hints.started(taskOf(started)?.taskId);
  }
  const task = taskOf(started);
  if (task === undefined) return started;
  wanted.memory?.onTask(task.taskId);
  try {
    return await followTask(ports, task, followed, wanted, signal);
  } finally {
    hints.end(task.taskId);
  }
}

/** The ID is remembered, so that a client may not choose any text for it. */
const taskOf = ({ task }: Fields): TaskFields | undefined =>
  isRecord(task) && typeof task.taskId === 'string' && task.taskId.length <= maxIdChars
    ? (task as unknown as TaskFields)
    : undefined;

/** Starts the task, unless the client still has the one that it started before. */
async function start(
  ports: ClientTaskPorts,
  { method, params }: InputRequest,
  wanted: TaskRequest,
  signal: AbortSignal,
): Promise<Fields> {
  const { ttlMs, memory } = wanted;
  if (memory?.taskId !== undefined) {
    const known = await getTask(ports, memory.taskId, signal).catch(ifUnknown);
    if (known !== undefined) return { task: known };
  }
  // Without the signal: a task is cancelled by its ID, which is in the answer.
  const sending = ports.send({ method, params: { ...params, task: { ttl: Math.ceil(ttlMs) } } }, ports.inputMs);
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(cancelledBy(method, signal));
      sending.then((late) => cancel(ports, taskOf(late)?.taskId, wanted, signal)).catch(() => {});
    };
    if (signal.aborted) return onAbort();
    listenForAbort(signal, onAbort);
    sending.then(resolve, reject).finally(() => stopListening(signal, onAbort));
  });
}

async function followTask(
  ports: ClientTaskPorts,
  first: TaskFields,
  followed: FollowedTask,
  wanted: TaskRequest,
  signal: AbortSignal,
): Promise<Fields> {
  const { ttlMs } = wanted;
  const { deadlines } = ports;
  const { taskId } = first;
  const waitMs = Math.min(ttlMs, first.ttl ?? ttlMs);
  const ends = deadlines.now() + waitMs;
  let task = first;
  try {
    while (task.status === 'working') {
      await pause(deadlines, followed, Math.min(intervalOf(task), ends - deadlines.now()), signal);
      if (signal.aborted) throw cancelledBy('tasks/get', signal);
      if (deadlines.now() >= ends) throw notInTime(taskId, waitMs);
      task = (await getTask(ports, taskId, signal).catch(ifSilent)) ?? task;
    }
    // A client whose task needs input sends its requests while the server waits for the result.
    const resultMs = task.status === 'input_required' ? Math.max(ends - deadlines.now(), 1) : responseMs;
    return await ports.send({ method: 'tasks/result', params: { taskId } }, resultMs, signal);
  } catch (error) {
    if (!isUnknown(error)) cancel(ports, isOver(task) ? undefined : taskId, wanted, signal);
    throw error;
  }
}

const getTask = async (ports: ClientTaskPorts, taskId: string, signal: AbortSignal): Promise<TaskFields> =>
  (await ports.send({ method: 'tasks/get', params: { taskId } }, responseMs, signal)) as unknown as TaskFields;

const isOver = ({ status }: TaskFields): boolean => status !== 'working' && status !== 'input_required';

const intervalOf = ({ pollInterval = pollMs.default }: TaskFields): number =>
  Math.min(Math.max(pollInterval, pollMs.least), pollMs.most);

/** Waits until the time has passed, the client reports a change, or the request is cancelled. */
async function pause(deadlines: Deadlines, followed: FollowedTask, ms: number, signal: AbortSignal): Promise<void> {
  if (!followed.isChanged && !signal.aborted)
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        followed.wake = undefined;
        deadlines.cancel(deadline);
        stopListening(signal, wake);
        resolve();
      };
      const deadline = deadlines.add(ms, wake);
      followed.wake = wake;
      listenForAbort(signal, wake);
    });
  followed.isChanged = false;
}

/** Does not wait for the answer: the request has ended without a result. */
function cancel(
  ports: ClientTaskPorts,
  taskId: string | undefined,
  { canCancel, memory }: TaskRequest,
  signal: AbortSignal,
): void {
  const isContinued = memory !== undefined && signal.aborted && signal.reason !== taskOver;
  if (taskId === undefined || !canCancel || isContinued) return;
  ports.send({ method: 'tasks/cancel', params: { taskId } }, responseMs).catch(() => {});
}

const isUnknown = (error: unknown): boolean =>
  error instanceof RpcError && error.code === standardCodes['invalid-params'];

function ifUnknown(error: unknown): undefined {
  if (!isUnknown(error)) throw error;
}

/** Ignores a timeout: the client is polled again until the time of the task has passed. */
function ifSilent(error: unknown): undefined {
  if (!(error instanceof TenonError && error.code === 'timeout')) throw error;
}

const cancelledBy = (method: string, { reason }: AbortSignal): TenonError =>
  new TenonError('cancelled', `${method} was cancelled.`, { cause: reason });

const notInTime = (taskId: string, waitMs: number): TenonError =>
  new TenonError('timeout', `The client did not finish its task ${taskId} within ${waitMs} ms.`, {
    hint: 'Give the request more time: { task: { ttlMs } }. The client may allow less.',
    details: { taskId, waitMs },
  });
