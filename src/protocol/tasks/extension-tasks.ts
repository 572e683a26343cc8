/** The tasks extension of revisions without sessions: the server decides, and the client polls. */
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { Fields } from '../../lib/values/is.ts';
import { rpcError } from '../errors.ts';
import { client, server } from '../generated/tables/tasks-extension.ts';
import type { Revision, SideChecks } from '../revision.ts';
import { sharedFields, type TaskForm, type TaskInfo } from './task-form.ts';

/** The name under which both sides declare it. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

const extensionTasks: TaskForm = {
  decidedBy: 'server',
  isFollowedBy: ({ extensions }) => extensions?.[tasksExtension] !== undefined,
  isPolled: true,
  fields,
  withContent(task, content) {
    if (!('done' in content)) return { ...fields(task), ...content };
    return { ...fields(task), result: content.result };
  },
};

function fields(task: TaskInfo): Fields {
  return { ...sharedFields(task), ttlMs: task.ttlMs, pollIntervalMs: pollMs(task) };
}

/** What a task is polled after first. */
const leastPollMs = 100;

/** A young task may end soon. An old one is polled as often as it should be, and was never late by more than half of its age. */
const pollMs = ({ ageMs = Infinity, pollIntervalMs }: TaskInfo): number =>
  Math.min(pollIntervalMs, Math.max(leastPollMs, Math.round(ageMs / 2)));

/** The revision with the messages of the extension. Revisions with sessions have tasks of their own, or none. */
export function withTasks(revision: Revision): Revision {
  if (revision.lifecycle !== 'exchange') return revision;
  return Object.freeze({
    ...revision,
    client: joined(revision.client, client),
    server: joined(revision.server, server),
    tasks: extensionTasks,
  });
}

const joined = (own: SideChecks, more: SideChecks): SideChecks => ({
  requests: new Map([...own.requests, ...more.requests]),
  notifications: new Map([...own.notifications, ...more.notifications]),
});

/** The error for a client that did not declare the extension where it is needed. */
export const missingExtension = (text: string): RpcError =>
  rpcError('missing-client-capability', text, {
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  });
