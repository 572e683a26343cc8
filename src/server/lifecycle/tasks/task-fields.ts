/** A task as clients see it. */
import { RpcError } from '../../../jsonrpc/errors.ts';
import type { Implementation } from '../../../protocol/generated/types/records.ts';
import type { Done, Fields } from '../../../protocol/neutral.ts';
import type { Revision } from '../../../protocol/revision.ts';
import type { TaskInfo } from '../../../protocol/tasks/task-form.ts';
import { messageOf } from '../../server-requests/protocol-request.ts';
import { isOver, type Task } from './engine/task.ts';
import type { TaskView } from './engine/task-engine.ts';
import type { TaskRecord } from './engine/task-records.ts';

export const infoOf = ({ row, task }: TaskRecord): TaskInfo => ({
  taskId: row.id,
  status: statusOf(task),
  isToolError: task.isToolError === true,
  statusMessage: task.message ?? task.progress?.message,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  // One that lives on renews it.
  ttlMs: isOver(task)
    ? row.endsAt - row.createdAt
    : Math.max(task.ttlMs, row.now - row.createdAt + task.pollIntervalMs),
  pollIntervalMs: task.pollIntervalMs,
});

function statusOf({ state }: Task): TaskInfo['status'] {
  if (state.is === 'ready' || state.is === 'running') return 'working';
  if (state.is === 'parked') return state.open.length > 0 ? 'input_required' : 'working';
  return state.is;
}

/** A task with what has come of it. */
export function wholeTask(view: TaskView, fields: Fields, revision: Revision, by: Implementation): Fields | RpcError {
  const { task, journal } = view;
  const { outcome, open } = journal;
  if (statusOf(task) === 'input_required')
    return {
      ...fields,
      inputRequests: Object.fromEntries(Object.entries(open).map(([key, one]) => [key, messageOf(one)])),
    };
  if (outcome === undefined || task.state.is === 'cancelled') return fields;
  if (outcome instanceof RpcError) return { ...fields, error: revision.wire.writeError(revision, outcome) };
  const result = resultOf(outcome, revision, by);
  return result instanceof RpcError ? result : { ...fields, result };
}

/** The result of the call, as the plain call would have returned it. */
export function resultOf(outcome: Done, revision: Revision, by: Implementation): Fields | RpcError {
  const written = revision.wire.writeResult(revision, 'client', 'tools/call', outcome, by);
  return written.ok ? written.value : RpcError.from(new Error(written.refusal.message));
}
