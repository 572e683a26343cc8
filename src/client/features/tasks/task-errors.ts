/** Errors about tasks: each names the task, since it may go on. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import { messageWithoutHint, TenonError } from '../../../lib/errors/tenon-error.ts';
import { shown } from '../../../lib/text/shown.ts';

const resumeHint = (taskId: string): string => `Get its result by client.tasks.result(${JSON.stringify(taskId)}).`;

/** The error of a call whose task goes on, although it is not followed any more. */
export function notFollowed(error: unknown, taskId: string): unknown {
  if (!(error instanceof TenonError) || error.details.taskId !== undefined) return error;
  if (error.code === 'outcome-unknown') return outcomeLost(taskId, error.cause as Error);
  const text = messageWithoutHint(error);
  return new TenonError(error.code, `${text}${text.endsWith('.') ? '' : '.'} Task ${shown(taskId)} goes on.`, {
    hint: resumeHint(taskId),
    details: { ...error.details, taskId },
    cause: error,
  });
}

/** The error of a call whose task has failed, and may have had its effect. */
export const outcomeLost = (taskId: string, cause: Error): TenonError =>
  new TenonError('outcome-unknown', `Task ${shown(taskId)} has failed, and its outcome is unknown: ${cause.message}`, {
    hint: 'Check whether it was carried out before you call it again, with another idempotencyKey.',
    details: { method: 'tools/call', taskId },
    cause,
  });

/** The error of `tasks/*` for a task that the server does not know. */
export const asNotFound = (error: unknown, taskId: string): unknown =>
  error instanceof RpcError && error.reason === 'invalid-params'
    ? new TenonError('task-not-found', `The server does not know task ${shown(taskId)}: ${error.message}.`, {
        hint: 'It was created by another user, or is no longer stored.',
        details: { taskId },
        cause: error,
      })
    : error;

export const isNotFound = (error: unknown): boolean => error instanceof TenonError && error.code === 'task-not-found';

/** Throws the error of an answer: a server refuses one that is not valid by the number of an unknown task. */
export async function throwRefusal(error: unknown, readTask: () => Promise<unknown>): Promise<never> {
  if (!isNotFound(error)) throw error;
  await readTask();
  throw (error as TenonError).cause;
}

/** The caller aborted. Where the server cannot cancel tasks, or cannot be reached, the task goes on. */
export const abortedTask = (taskId: string, cause: unknown, isCancelled: boolean): TenonError =>
  new TenonError(
    'cancelled',
    `The call was cancelled; its task ${shown(taskId)} ${isCancelled ? 'is cancelled too' : 'goes on'}.`,
    { details: { taskId, isCancelled }, cause },
  );

/** The whole time of a call has passed. */
export const timedOut = (): TenonError =>
  new TenonError('timeout', 'The task was not finished within the time of its call (maxTotalTimeoutMs).');

export const cancelledTask = (taskId: string, statusMessage: string | undefined): TenonError =>
  new TenonError(
    'task-cancelled',
    `Task ${shown(taskId)} was cancelled${statusMessage ? `: ${shown(statusMessage)}` : ''}.`,
    { details: { taskId } },
  );

/** Nothing was sent. */
export const lacksTasks = (text: string, hint: string): TenonError =>
  new TenonError('capability-not-supported', text, { hint, details: { capability: 'tasks' } });
