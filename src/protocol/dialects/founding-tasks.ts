/** The founding documents' tasks in a session: which peers exchange them, and the fields of a task. */

import type { Fields } from '../../lib/values/is.ts';
import { rpcError } from '../errors.ts';
import { client, server } from '../generated/tables/founding-tasks.ts';
import type { ClientCapabilities } from '../generated/types/records.ts';
import type { Revision, SideChecks } from '../revision.ts';
import type { TaskContent, TaskForm, TaskInfo } from '../tasks/task-form.ts';
import { createdByCall } from './create-task-request.ts';

/**
 * The declared capabilities of a peer. The documents put tasks under `experimental`, the specification under `tasks`.
 */
interface Declared {
  readonly experimental?: Readonly<Record<string, unknown>>;
  readonly tasks?: unknown;
}

/**
 * Whether a peer exchanges tasks as the documents do. A peer that also declares those of the specification does not.
 */
const declaresTasks = ({ experimental, tasks }: Declared): boolean =>
  experimental?.tasks !== undefined && tasks === undefined;

/** The capabilities of a client that wants the tasks of the documents. */
export function declaringFoundingTasks(capabilities: ClientCapabilities): ClientCapabilities {
  const { tasks: _, ...others } = capabilities;
  return { ...others, experimental: { ...others.experimental, tasks: {} } };
}

const known = new WeakMap<Revision, Revision>();

/** The revision for a peer with these capabilities: `tasks/get` has two forms, and what was declared decides. */
export function revisionFor(revision: Revision, peer: Declared): Revision {
  if (revision.lifecycle === 'exchange' || !declaresTasks(peer)) return revision;
  const found = known.get(revision) ?? withFoundingTasks(revision);
  known.set(revision, found);
  return found;
}

/** The revision for a client without a session, which is known by its principal alone: it can also list its tasks. */
export function listenerRevision(revision: Revision): Revision {
  if (revision.lifecycle === 'exchange') return revision;
  const found = listeners.get(revision) ?? withFoundingTasks(revision, client);
  listeners.set(revision, found);
  return found;
}

const listeners = new WeakMap<Revision, Revision>();

/** The documents list no tasks in a session. */
const inSessions: SideChecks = {
  ...client,
  requests: new Map([...client.requests].filter(([method]) => method !== 'tasks/list')),
};

const withFoundingTasks = (revision: Revision, methods: SideChecks = inSessions): Revision =>
  Object.freeze({
    ...revision,
    client: withTaskMethods(revision.client, methods),
    server: withTaskMethods(revision.server, server),
    wire: createdByCall(revision.wire),
    tasks: foundingTasks,
  });

/** Replaces the task methods of the specification. */
function withTaskMethods(own: SideChecks, added: SideChecks): SideChecks {
  const others = <T>(checks: ReadonlyMap<string, T>): [string, T][] =>
    [...checks].filter(([method]) => !/^(notifications\/)?tasks\//.test(method));
  return {
    requests: new Map([...others(own.requests), ...added.requests]),
    notifications: new Map([...others(own.notifications), ...added.notifications]),
  };
}

const foundingTasks: TaskForm = {
  decidedBy: 'client',
  createdBy: 'tasks/create',
  isFollowedBy: () => true,
  isPolled: false,
  fields: (task) => ({
    taskId: task.taskId,
    status: statusOf(task),
    ...(task.description === undefined ? {} : { description: task.description }),
    ...progressOf(task),
    createdAt: isoTime(task.createdAt),
    ...(task.startedAt === undefined ? {} : { startedAt: isoTime(task.startedAt) }),
    ...endTimes(task),
  }),
  withContent: (task, content) => ({ ...foundingTasks.fields(task), ...outcomeOf(task, content) }),
  created: (task) => ({ taskId: task.taskId, status: statusOf(task), createdAt: isoTime(task.createdAt) }),
  cancelled: (task) => ({ taskId: task.taskId, status: statusOf(task), ...endTimes(task) }),
  notifications: {
    progress: (task) => ({
      method: 'notifications/tasks/progress',
      params: { taskId: task.taskId, ...progressOf(task) },
    }),
    finished: (task, content) => ({
      method: 'notifications/tasks/completed',
      params: {
        taskId: task.taskId,
        status: statusOf(task),
        ...(content && outcomeOf(task, content)),
        ...endTimes(task),
      },
    }),
  },
  declared: (capabilities) => ({ ...capabilities, experimental: { ...capabilities.experimental, tasks: {} } }),
};

/** A task that waits for an answer counts as running: the documents have no status for it. */
function statusOf({ status, startedAt, isToolError }: TaskInfo): string {
  if (status === 'working' || status === 'input_required') return startedAt === undefined ? 'pending' : 'running';
  return isToolError && status === 'completed' ? 'failed' : status;
}

/** The documents write times without milliseconds. */
const isoTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');

/** A share between 0 and 1, where the total is known. */
function progressOf({ progress: reported }: TaskInfo): Fields {
  if (reported === undefined) return {};
  const { progress, total, message } = reported;
  const share = total !== undefined && total > 0 ? Math.min(Math.max(progress / total, 0), 1) : undefined;
  return {
    ...(share === undefined ? {} : { progress: share }),
    ...(message === undefined ? {} : { currentStep: message }),
  };
}

function endTimes({ status, updatedAt }: TaskInfo): Fields {
  if (status === 'cancelled') return { cancelledAt: isoTime(updatedAt) };
  return status === 'completed' || status === 'failed' ? { completedAt: isoTime(updatedAt) } : {};
}

/** The result is the structured content of the tool, if there is any. A result with `isError` becomes an error. */
function outcomeOf({ isToolError }: TaskInfo, content: TaskContent): Fields {
  if ('error' in content) return { error: content.error };
  if (!('done' in content)) return {};
  const { done, result } = content;
  return isToolError ? { error: toolError(result) } : { result: done.result.structuredContent ?? result };
}

function toolError({ content }: Fields): object {
  const texts = (content as readonly Fields[]).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return rpcError('tool-execution-failed', texts.join('\n\n') || 'The tool failed').toObject();
}
