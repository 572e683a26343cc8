/** Tasks that no worker has taken for a while, and what they wait for. */
import type { StoredTask } from '../../../../store/task-store.ts';
import type { Task } from './task.ts';

interface Stored {
  readonly row: StoredTask;
  readonly task: Task;
}

/** How long a task may wait for a worker before its status says so. */
const maxWaitMs = 5000;

/** When it was last written, or taken by a worker that has not written it since. */
export const touchedAt = ({ updatedAt, taken }: StoredTask): number => taken?.at ?? updatedAt;

/** Whether a worker could have taken the task a while ago. */
export function isUnclaimed({ row, task }: Stored, leaseMs: number): boolean {
  const { state, message } = task;
  const waitedMs = row.now - touchedAt(row);
  switch (state.is) {
    case 'ready':
      // A task with a message waits for its next attempt.
      return message === undefined && waitedMs > maxWaitMs;
    case 'running':
      return waitedMs > leaseMs + maxWaitMs;
    case 'parked':
      return state.wakeAt !== undefined && row.now - state.wakeAt > maxWaitMs;
    default:
      return false;
  }
}

/** `kinds` are those that this process runs. */
export function waitingText(record: Stored, kinds: readonly string[], leaseMs: number): string | undefined {
  if (!isUnclaimed(record, leaseMs)) return undefined;
  const { kind } = record.row;
  if (record.task.suspect !== undefined) return waitsForTurn;
  return kinds.includes(kind)
    ? `The task waits for a process that has room for ${workOf(kind)}.`
    : `The task waits for a process that has ${workOf(kind)}; the one that answers has not.`;
}

export const pastDeadline = 'The deadline of the task has passed';

export function deadlineText(record: Stored, leaseMs: number): string {
  if (!isUnclaimed(record, leaseMs)) return pastDeadline;
  if (record.task.suspect !== undefined) return `${pastDeadline}: ${waitsForTurn}`;
  return `${pastDeadline}: no process took it that has ${workOf(record.row.kind)}`;
}

/** A worker runs one suspect at a time. */
const waitsForTurn =
  'The process that ran the task was lost. It waits for its turn: a process runs one such task at a time.';

/** Describes a kind such as `shop/report@2`. */
function workOf(kind: string): string {
  const [, server, tool, version] = /^(.*)\/([^/@]*)@(.*)$/.exec(kind) ?? [];
  if (tool === undefined) return `work of the kind ${JSON.stringify(kind)}`;
  const versioned = version === '' ? '' : ` in version ${JSON.stringify(version)}`;
  return `the tool ${JSON.stringify(tool)}${versioned} of the server ${JSON.stringify(server)}`;
}
