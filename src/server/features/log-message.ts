/** Log messages: which a client gets, and how they are sent. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { LoggingLevel } from '../../protocol/generated/types/records.ts';
import type { Notification } from '../../protocol/neutral.ts';
import { checkLevel, levels } from '../checks/context-arguments.ts';
import type { Change } from '../ports/change-notifications.ts';

/** Whether a level is at or above the minimum that the client has set. */
export const isLogged = (level: LoggingLevel, least: LoggingLevel): boolean =>
  levels.indexOf(level) >= levels.indexOf(least);

/** Whether JSON can represent a value; otherwise the field would be left out. */
const isWritable = (value: unknown): boolean =>
  value !== undefined && typeof value !== 'symbol' && typeof value !== 'function';

export const logMessage = (level: LoggingLevel, data: unknown, logger: string | undefined): Notification => ({
  method: 'notifications/message',
  params: { level, data: isWritable(data) ? data : null, ...(logger !== undefined && { logger }) },
});

/** The change that `server.log()` publishes. Throws `invalid-argument` before any client gets it. */
export function logChange(level: unknown, data: unknown, logger: unknown): Change {
  checkLevel(level, 'server.log()');
  if (logger !== undefined && typeof logger !== 'string')
    throw wrong('logger', 'must be a string, or left out', "Write server.log('info', 'Connected', 'database').");
  return { kind: 'log', level, message: logMessage(level, jsonOf(data), logger) };
}

/** A copy, since connections write it later than the author may change it. */
function jsonOf(data: unknown): unknown {
  try {
    return isWritable(data) ? JSON.parse(JSON.stringify(data)) : null;
  } catch (cause) {
    throw wrong('data', 'cannot be written as JSON', 'Log texts, numbers and plain objects without cycles.', cause);
  }
}

const wrong = (place: string, problem: string, hint: string, cause?: unknown): TenonError =>
  new TenonError('invalid-argument', `server.log(): ${place} ${problem}.`, {
    hint,
    details: { place },
    ...(cause !== undefined && { cause }),
  });
