/** Adds the tasks extension to a revision without sessions. */
import { client, server } from '../../generated/tables/tasks-extension.ts';
import type { Revision, SideChecks } from '../../revision.ts';

/** The name under which both sides declare it. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The revision with the messages of the extension. Revisions with sessions have tasks of their own, or none. */
export function withTasks(revision: Revision): Revision {
  if (revision.lifecycle !== 'exchange') return revision;
  return Object.freeze({
    ...revision,
    client: joined(revision.client, client),
    server: joined(revision.server, server),
  });
}

const joined = (own: SideChecks, more: SideChecks): SideChecks => ({
  requests: new Map([...own.requests, ...more.requests]),
  notifications: new Map([...own.notifications, ...more.notifications]),
});
