/** A notification of an extension, as a change that is published to all connections. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isServedList, type ServerExtensions, type ServerNotificationDefinition } from '../definition/extension.ts';
import type { Change } from '../ports/change-notifications.ts';

/** Throws if no extension of the server has this notification, or its params do not match their schema. */
export function extensionNotification(
  extensions: ServerExtensions | undefined,
  notification: ServerNotificationDefinition,
  params: unknown,
): Change {
  const served = isServedList(extensions) ? extensions : [];
  const owner = served.find(({ extension }) => Object.values(extension.notifications).includes(notification));
  if (owner === undefined || notification.from !== 'server') {
    throw new TenonError(
      'invalid-argument',
      `notify(): ${notification.method} is not a notification of an extension of this server.`,
      {
        hint: 'Pass a notification of an extension that is listed in extensions.',
      },
    );
  }
  return {
    kind: 'notification',
    extension: owner.extension.id,
    method: notification.method,
    params: owner.outgoingParams(notification, params),
  };
}
