/** A task as clients see it. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import type { Fields } from '../../../lib/values/is.ts';
import type { Implementation } from '../../../protocol/generated/types/records.ts';
import type { Done } from '../../../protocol/neutral.ts';
import type { Revision } from '../../../protocol/revision.ts';
import type { TaskContent, TaskInfo } from '../../../protocol/tasks/task-form.ts';
import type { TaskStatus } from '../../ports/change-notifications.ts';
import { messageOf } from '../../server-requests/protocol-request.ts';
import { isOver, type Task } from './engine/task.ts';
import type { TaskView } from './engine/task-engine.ts';
import type { TaskRecord } from './engine/task-records.ts';
import { touchedAt } from './engine/unclaimed.ts';

/** The key of `_meta` that names the task of a message. */
export const infoOf = ({ row, task, waitsFor }: TaskRecord): TaskInfo => ({
  taskId: row.id,
  status: statusOf(task),
  isToolError: task.isToolError === true,
  statusMessage: task.message ?? waitsFor ?? task.progress?.message,
  description: task.description,
  progress: task.progress,
  createdAt: row.createdAt,
  startedAt: task.startedAt,
  updatedAt: touchedAt(row),
  // A task that has not finished extends it. A clock that was set back may make the creation seem later.
  ttlMs: isOver(task)
    ? Math.max(0, row.endsAt - row.createdAt)
    : Math.max(task.ttlMs, row.now - row.createdAt + task.pollIntervalMs),
  pollIntervalMs: task.pollIntervalMs,
  ageMs: row.now - row.createdAt,
});

/** The status of a task for sessions. */
export function taskStatus(record: TaskRecord): TaskStatus {
  const { row, task } = record;
  const { state, creator, progress } = task;
  const { progressToken } = creator ?? {};
  return {
    info: infoOf(record),
    owner: row.owner,
    session: creator?.session,
    changes: task.changes ?? 0,
    open: state.is === 'parked' ? state.open : [],
    ...(progress !== undefined && progressToken !== undefined && { progress: { progressToken, ...progress } }),
  };
}

export function statusOf({ state }: Task): TaskInfo['status'] {
  if (state.is === 'ready' || state.is === 'running') return 'working';
  if (state.is === 'parked') return state.open.length > 0 ? 'input_required' : 'working';
  return state.is;
}

/** The input that a task waits for, or its outcome; `undefined` without either. */
export function contentOf(
  { task, journal: { outcome, open } }: TaskView,
  revision: Revision,
  by: Implementation,
): TaskContent | RpcError | undefined {
  if (statusOf(task) === 'input_required')
    return { inputRequests: Object.fromEntries(Object.entries(open).map(([key, one]) => [key, messageOf(one)])) };
  if (outcome === undefined || task.state.is === 'cancelled') return undefined;
  // A task that has completed can only be shown with its result.
  if (outcome instanceof RpcError)
    return task.state.is === 'completed' ? outcome : { error: revision.wire.writeError(revision, outcome) };
  const result = resultOf(outcome, revision, by);
  return result instanceof RpcError ? result : { result, done: outcome };
}

/** A task as `tasks/get` shows it: with its content, where the revision has it there. */
export function wholeTask(view: TaskView, revision: Revision, by: Implementation): Fields | RpcError {
  const { tasks: form } = revision;
  const info = infoOf(view);
  const content = form?.withContent === undefined ? undefined : contentOf(view, revision, by);
  if (content instanceof RpcError) return content;
  return (content && form?.withContent?.(info, content)) ?? form?.fields(info) ?? {};
}

/** The result of the call, as the plain call would have returned it. */
export function resultOf(outcome: Done, revision: Revision, by: Implementation): Fields | RpcError {
  const written = revision.wire.writeResult(revision, 'client', 'tools/call', outcome, by);
  return written.ok ? written.value : RpcError.from(new Error(written.refusal.message));
}
