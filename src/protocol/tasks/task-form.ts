/** How a revision exchanges tasks: who decides that a call becomes one, and how it looks. */
import type { ClientCapabilities } from '../generated/types/records.ts';
import type { Fields } from '../neutral.ts';

/** A task in no revision's form. Moments are in milliseconds since the Unix epoch. */
export interface TaskInfo {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  /** Whether its result is an error that the tool reports. */
  readonly isToolError: boolean;
  readonly statusMessage?: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
}

export interface TaskForm {
  /** Who decides that a call becomes a task: the client by `params.task`, or the server for clients that can follow one. */
  readonly decidedBy: 'client' | 'server';
  /** Whether a client can follow tasks. */
  isFollowedBy(capabilities: ClientCapabilities): boolean;
  /**
   * Whether `tasks/get` has the result and the open requests, and what changes a task is only acknowledged. Otherwise
   * the client waits for the result, and the server sends it the requests.
   */
  readonly isPolled: boolean;
  /** The fields of a task. */
  fields(task: TaskInfo): Fields;
}

const iso = (moment: number): string => new Date(moment).toISOString();

/** The fields that all forms have. */
export const sharedFields = ({ taskId, status, statusMessage, createdAt, updatedAt }: TaskInfo): Fields => ({
  taskId,
  status,
  ...(statusMessage === undefined ? {} : { statusMessage }),
  createdAt: iso(createdAt),
  lastUpdatedAt: iso(updatedAt),
});
