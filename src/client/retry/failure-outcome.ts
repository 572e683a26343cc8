/** The outcome of a failed call: whether the server can have executed it, and whether the connection works. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { messageWithoutHint, TenonError, tenonErrors } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';
import { isCutOffData, isNotStartedData, isOutcomeLostData } from '../../protocol/error-data.ts';
import { retryAfterOf } from './backoff.ts';

/**
 * `settled`: the server answered, or this side cancelled. `unsent`: the server cannot have started. `unknown`: it may have
 * executed the call.
 */
export type FailureOutcome = 'settled' | 'unsent' | 'unknown';

const refusedBeforeBegun: ReadonlySet<string> = new Set(['connection-refused', 'host-not-found', 'session-expired']);

export function outcomeOf(error: unknown): FailureOutcome {
  if (isRefused(error)) return 'unsent';
  if (error instanceof RpcError) return isCutOffData(error.data) ? 'unknown' : 'settled';
  if (!(error instanceof TenonError)) return 'settled';
  if (refusedBeforeBegun.has(error.code)) return 'unsent';
  if (error.code === 'unreachable') return isUnconnected(error) ? 'unsent' : 'unknown';
  if (isUnanswered(error)) return 'unknown';
  if (error.code !== 'connection-closed') return 'settled';
  return error.details.sent === false ? 'unsent' : 'unknown';
}

/** Whether the server does not know the outcome either, and sends the same error to every repeat. */
export const isOutcomeLost = (error: unknown): boolean => error instanceof RpcError && isOutcomeLostData(error.data);

/** Whether there was no connection over which the call could have been sent. */
function isUnconnected({ details: { problem }, cause }: TenonError): boolean {
  return problem === 'UND_ERR_CONNECT_TIMEOUT' || isOfConnect(cause);
}

/** Runtimes wrap the error, and have several if they tried several addresses. */
function isOfConnect(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false;
  const { syscall, cause, errors } = error as { syscall?: unknown; cause?: unknown; errors?: unknown };
  if (syscall === 'connect') return true;
  if (Array.isArray(errors) && errors.length > 0) return errors.every((each) => isOfConnect(each, depth + 1));
  return isOfConnect(cause, depth + 1);
}

const gatewayStatuses: ReadonlySet<unknown> = new Set([502, 504]);

/**
 * Whether there is only an HTTP status: a gateway may have sent it after the server received the call. A JSON-RPC error
 * with it is from the server itself, except with a status that only gateways send; it may say that the call was cut off.
 */
function isUnanswered({ code, details: { status, error } }: TenonError): boolean {
  if (code !== 'server-unavailable' || typeof status !== 'number' || status < 500) return false;
  return gatewayStatuses.has(status) || error === undefined || (isRecord(error) && isCutOffData(error.data));
}

/** Statuses that come with `Retry-After`. */
const busyStatuses: ReadonlySet<unknown> = new Set([429, 503]);

/** JSON-RPC errors that come with `retryAfterMs`. */
const busyReasons: ReadonlySet<string> = new Set(['rate-limited', 'overloaded']);

/** Whether the server could not serve one call, and may soon. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof RpcError) return busyReasons.has(error.reason) && retryAfterOf(error) !== undefined;
  if (!isUnavailable(error)) return false;
  const { status, retryAfterMs } = error.details;
  return gatewayStatuses.has(status) || (busyStatuses.has(status) && retryAfterMs !== undefined);
}

/** Whether trying again can help: the server may be restarting, or be busy. */
export const isOutage = (error: unknown): boolean =>
  error instanceof TenonError ? tenonErrors[error.code].retry : isTemporary(error);

/** Whether the server says that it refused the call before it began. */
export function isRefused(error: unknown): boolean {
  if (error instanceof RpcError) return isNotStartedData(error.data);
  const answered = isUnavailable(error) ? error.details.error : undefined;
  return isRecord(answered) && isNotStartedData(answered.data);
}

/** Whether a server, or a gateway before it, rejected one call with a status. */
export const isUnavailable = (error: unknown): error is TenonError =>
  error instanceof TenonError && error.code === 'server-unavailable';

const connectionLost: ReadonlySet<string> = new Set([
  'connection-refused',
  'host-not-found',
  'session-expired',
  'unreachable',
]);

/** Whether the failure of one call shows that the connection no longer works. */
export const isConnectionLost = (error: unknown): boolean =>
  error instanceof TenonError && connectionLost.has(error.code);

/** Requests that change nothing on a server, or have the same effect when they are repeated. */
const idempotent: ReadonlySet<string> = new Set([
  'completion/complete',
  'logging/setLevel',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'server/discover',
  'tasks/cancel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/update',
  'tools/list',
]);

export const isIdempotent = (method: string): boolean => idempotent.has(method);

/** The message names what broke the connection, and why a later attempt failed if there was one. */
export function outcomeUnknown(
  method: string,
  requestId: unknown,
  error: Error,
  shown: string = method,
  later?: Error,
): TenonError {
  const cause = error.cause instanceof TenonError ? error.cause : error;
  const why =
    later === undefined
      ? textOf(cause)
      : `${textOf(cause).replace(/\.$/, '')}. The last attempt failed: ${textOf(later)}`;
  return new TenonError('outcome-unknown', `${shown} was sent, but its outcome is unknown: ${why}`, {
    hint: isOutcomeLost(error)
      ? 'Check whether it was executed before you call it again, with another idempotencyKey.'
      : 'Check whether it was executed before you call it again; pass { retryable: true } to calls that may be repeated.',
    details: { method, requestId },
    cause,
  });
}

const textOf = (error: Error): string => (error instanceof TenonError ? messageWithoutHint(error) : error.message);
