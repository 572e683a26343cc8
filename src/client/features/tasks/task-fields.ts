/** Reads a task as the server sent it, and decides what to do next about it. Pure. */

import type { Fields } from '../../../lib/values/is.ts';
import { isRecord } from '../../../lib/values/is.ts';
import type { InputRequest } from '../../../protocol/neutral.ts';
import type { Task } from '../../api/tasks.ts';

/** A task with what has come of it, where `tasks/get` has that. */
export interface FetchedTask {
  readonly task: Task;
  readonly result?: Fields | undefined;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined;
  /** A task of the founding documents that is over and has neither result nor error: a notification may have them. */
  readonly lacksOutcome?: boolean;
}

/** The fields of a task, in the form of any revision or of the founding documents. */
export function readTask(fields: Readonly<Fields>): FetchedTask {
  return fields.lastUpdatedAt === undefined ? readFoundingTask(fields) : readOwnTask(fields);
}

function readOwnTask(fields: Readonly<Fields>): FetchedTask {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, inputRequests, result, error } = fields;
  const pollIntervalMs = fields.pollIntervalMs ?? fields.pollInterval;
  const task = {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt,
    lastUpdatedAt,
    ttlMs: fields.ttlMs ?? fields.ttl ?? null,
    ...(typeof pollIntervalMs === 'number' && { pollIntervalMs }),
    ...(isRecord(inputRequests) && { inputRequests }),
  } as unknown as Task;
  return {
    task,
    ...(isRecord(result) && { result }),
    ...(isRecord(error) && { error: error as unknown as FetchedTask['error'] }),
  };
}

/** Documents of before have two words for a task that works, and no time of its last change. */
function readFoundingTask({ taskId, status, currentStep, result, error, ...times }: Readonly<Fields>): FetchedTask {
  const { createdAt = '', startedAt = createdAt, completedAt = startedAt, cancelledAt = completedAt } = times;
  const task = {
    taskId,
    status: status === 'pending' || status === 'running' ? 'working' : status,
    ...(currentStep !== undefined && { statusMessage: currentStep }),
    createdAt,
    lastUpdatedAt: cancelledAt,
    ttlMs: null,
  } as unknown as Task;
  const isLacking = (status === 'completed' && result === undefined) || (status === 'failed' && error === undefined);
  return {
    task,
    ...(status === 'completed' && { result: asToolResult(result) }),
    ...(status === 'failed' && error !== undefined && { error: asError(error) }),
    ...(isLacking && { lacksOutcome: true }),
  };
}

/** A task with the outcome that a notification had, where `tasks/get` shows none. */
export function withOutcome(fetched: FetchedTask, notified: Readonly<Fields> | undefined): FetchedTask {
  if (notified === undefined || (isOver(fetched.task) && fetched.lacksOutcome !== true)) return fetched;
  const { createdAt } = fetched.task;
  return readFoundingTask({ createdAt, ...notified });
}

/** The result is that of the tool, or its structured value alone. */
const asToolResult = (result: unknown): Fields =>
  isRecord(result) && Array.isArray(result.content)
    ? result
    : { content: [{ type: 'text', text: JSON.stringify(result ?? null) }], structuredContent: result ?? null };

const asError = (error: unknown): NonNullable<FetchedTask['error']> =>
  isRecord(error) && typeof error.code === 'number'
    ? { code: error.code, message: String(error.message), data: error.data }
    : { code: -32603, message: typeof error === 'string' ? error : JSON.stringify(error) };

export const isOver = ({ status }: Task): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** Whether it has what its status promises: a task that a call returns has not, also if it was created before. */
export function isWhole({ task, result, error, lacksOutcome }: FetchedTask): boolean {
  if (lacksOutcome === true) return false;
  if (task.status === 'completed') return result !== undefined;
  if (task.status === 'failed') return error !== undefined;
  return task.status !== 'input_required' || task.inputRequests !== undefined;
}

/**
 * How long to wait before a task is read again.
 * @limit client
 * @default 1 s unless the task has `pollIntervalMs`; at least 50 ms, at most a day
 */
const defaultPollMs = 1000;
/** A server that asks for more polls than this does not get them. */
const leastPollMs = 50;
/** A day. */
const mostPollMs = 86_400_000;

/** How long to wait before a task is read again. */
export const pollMs = ({ pollIntervalMs = defaultPollMs }: Task): number =>
  Math.min(Math.max(pollIntervalMs, leastPollMs), mostPollMs);

/** What a client does next about a task that it follows. */
export type NextStep =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'answer'; readonly requests: Readonly<Record<string, InputRequest>> }
  /** Requests the result, which the server sends when the task is over; until then it may send requests. */
  | { readonly kind: 'request-result' }
  | { readonly kind: 'complete'; readonly result: Fields }
  | { readonly kind: 'fail'; readonly error: NonNullable<FetchedTask['error']> }
  | { readonly kind: 'cancelled' };

/** `hasContent`: `tasks/get` has the result and the open requests. A request is answered once, by its key. */
export function nextStep(
  { task, result, error }: FetchedTask,
  hasContent: boolean,
  answered: ReadonlySet<string>,
): NextStep {
  const { status, inputRequests = {} } = task;
  const wait: NextStep = { kind: 'wait', ms: pollMs(task) };
  if (status === 'cancelled') return { kind: 'cancelled' };
  if (status === 'working') return wait;
  if (!hasContent) return { kind: 'request-result' };
  if (status === 'input_required') {
    const open = Object.entries(inputRequests).filter(([key]) => !answered.has(key));
    return open.length === 0 ? wait : { kind: 'answer', requests: Object.fromEntries(open) };
  }
  if (result !== undefined && status === 'completed') return { kind: 'complete', result };
  return { kind: 'fail', error: error ?? { code: -32603, message: `The task is ${status} without its outcome` } };
}
