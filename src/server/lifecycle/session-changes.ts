/** Which changes a session is notified of, and how. */
import type { Notification } from '../../protocol/neutral.ts';
import type { CallerInfo } from '../ports/caller.ts';
import { type Change, isWatched } from '../ports/change-notifications.ts';

const nothing: ReadonlySet<string> = new Set();

/** Whether a client gets a notification of an extension: it declared the extension, and its revision has the message. */
export const receives = (
  { revision, capabilities }: CallerInfo,
  { extension, method }: Extract<Change, { kind: 'notification' }>,
): boolean =>
  revision.server.notifications.has(method) &&
  (extension === undefined || capabilities.extensions?.[extension] !== undefined);

export function notificationOf(
  change: Exclude<Change, { kind: 'notification' | 'log' | 'task' | 'all' }>,
  subscriptions: ReadonlySet<string> = nothing,
): Notification | undefined {
  if (change.kind !== 'resource') return { method: `notifications/${change.kind}/list_changed` };
  const { uri } = change;
  if (!isWatched(subscriptions, uri)) return undefined;
  return { method: 'notifications/resources/updated', params: { uri } };
}
