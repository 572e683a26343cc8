/** How a revision exchanges tasks: who decides that a call becomes one, and its fields. */

import type { Fields } from '../../lib/values/is.ts';
import type { ClientCapabilities, ServerCapabilities } from '../generated/types/records.ts';
import type { Done, InputRequest, Notification } from '../neutral.ts';

/** A task, independent of the revision. Times are in milliseconds since the Unix epoch. */
export interface TaskInfo {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  /** Whether its result is an error that the tool reports. */
  readonly isToolError: boolean;
  readonly statusMessage?: string | undefined;
  /** What its creator called it, where `tasks/create` has that. */
  readonly description?: string | undefined;
  /** How far it is, as its handler reported it last. */
  readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string } | undefined;
  readonly createdAt: number;
  /** When its first run began. */
  readonly startedAt?: number | undefined;
  readonly updatedAt: number;
  readonly ttlMs: number;
  /** The longest time between two polls. */
  readonly pollIntervalMs: number;
  /** How long it has been there; absent where the interval does not depend on it. */
  readonly ageMs?: number;
}

/** The input that a task waits for, or its outcome. */
export type TaskContent =
  | { readonly inputRequests: Readonly<Record<string, InputRequest>> }
  /** `result` is the result of the plain call; `done` is the same before it was fitted to the revision. */
  | { readonly result: Fields; readonly done: Done }
  | { readonly error: object };

/**
 * Notifications that replace `notifications/tasks/status`. The server then sends its requests without being asked for
 * the result.
 */
export interface TaskNotifications {
  progress(task: TaskInfo): Notification;
  /** A cancelled task has no content. */
  finished(task: TaskInfo, content: TaskContent | undefined): Notification;
}

export interface TaskForm {
  /** Who decides that a call becomes a task: the client by `params.task`, or the server for clients that can follow one. */
  readonly decidedBy: 'client' | 'server';
  /** The request that creates a task, if there is a separate one: only a task or an error answers it. */
  readonly createdBy?: 'tasks/create';
  /** Whether a client can follow tasks. */
  isFollowedBy(capabilities: ClientCapabilities): boolean;
  /** Whether requests that change a task are only acknowledged, and the client polls for its open requests. */
  readonly isPolled: boolean;
  /** The fields of a task. */
  fields(task: TaskInfo): Fields;
  /** The fields of a task with its content, where `tasks/get` has that. Elsewhere `tasks/result` waits for the result. */
  withContent?(task: TaskInfo, content: TaskContent): Fields;
  /** The fields of a task that was created, or cancelled, just now; by default the same as later. */
  created?(task: TaskInfo): Fields;
  cancelled?(task: TaskInfo): Fields;
  readonly notifications?: TaskNotifications;
  /** In sessions: the capabilities of a server whose tools can run as tasks; `lists` says whether the client may list its own. */
  declared?(capabilities: ServerCapabilities, lists: boolean): ServerCapabilities;
}

const iso = (moment: number): string => new Date(moment).toISOString();

/** The fields that the forms of the specification have. */
export const sharedFields = ({ taskId, status, statusMessage, createdAt, updatedAt }: TaskInfo): Fields => ({
  taskId,
  status,
  ...(statusMessage === undefined ? {} : { statusMessage }),
  createdAt: iso(createdAt),
  lastUpdatedAt: iso(updatedAt),
});
