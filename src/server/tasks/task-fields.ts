/** A task as clients see it: in revisions with sessions, and in the extension. */
import { RpcError } from '../../jsonrpc/errors.ts';
import type { Implementation } from '../../protocol/generated/types/records.ts';
import type { Done, Fields } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';
import { isOver } from './task.ts';
import type { TaskView } from './task-engine.ts';
import type { TaskRecord } from './task-records.ts';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

const iso = (moment: number): string => new Date(moment).toISOString();

/** `failedTools`: whether a tool that reports an error has failed, as revisions with sessions see it. */
export function statusOf({ task: { state, isToolError } }: TaskRecord, failedTools: boolean): TaskStatus {
  switch (state.is) {
    case 'ready':
    case 'running':
      return 'working';
    case 'parked':
      return state.open.length > 0 ? 'input_required' : 'working';
    case 'completed':
      return failedTools && isToolError === true ? 'failed' : 'completed';
    default:
      return state.is;
  }
}

/** How long a task is stored, from its creation. One that lives on renews it. */
function ttlOf({ row, task }: TaskRecord): number {
  if (isOver(task)) return row.endsAt - row.createdAt;
  return Math.max(task.ttlMs, row.now - row.createdAt + task.pollIntervalMs);
}

const messageOf = ({ task: { message, progress } }: TaskRecord): Fields => {
  const text = message ?? progress?.message;
  return text === undefined ? {} : { statusMessage: text };
};

/** The fields of a task in a revision with sessions. */
export const sessionTask = (record: TaskRecord): Fields => ({
  taskId: record.row.id,
  status: statusOf(record, true),
  ...messageOf(record),
  createdAt: iso(record.row.createdAt),
  lastUpdatedAt: iso(record.row.updatedAt),
  ttl: ttlOf(record),
  pollInterval: record.task.pollIntervalMs,
});

/** The fields of a task in the extension. */
export const extensionTask = (record: TaskRecord): Fields => ({
  taskId: record.row.id,
  status: statusOf(record, false),
  ...messageOf(record),
  createdAt: iso(record.row.createdAt),
  lastUpdatedAt: iso(record.row.updatedAt),
  ttlMs: ttlOf(record),
  pollIntervalMs: record.task.pollIntervalMs,
});

/** A task in the extension, with what has come of it. */
export function wholeTask(view: TaskView, revision: Revision, by: Implementation): Fields | RpcError {
  const fields = extensionTask(view);
  const { outcome, open } = view.journal;
  if (fields.status === 'input_required') return { ...fields, inputRequests: open };
  if (outcome === undefined || fields.status === 'cancelled') return fields;
  if (outcome instanceof RpcError) return { ...fields, error: revision.wire.writeError(revision, outcome) };
  const result = resultOf(outcome, revision, by);
  return result instanceof RpcError ? result : { ...fields, result };
}

/** The result of the call, as the plain call would have returned it. */
export function resultOf(outcome: Done, revision: Revision, by: Implementation): Fields | RpcError {
  const written = revision.wire.writeResult(revision, 'client', 'tools/call', outcome, by);
  return written.ok ? written.value : RpcError.from(new Error(written.refusal.message));
}
