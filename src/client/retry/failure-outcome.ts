/** What a failure says of a call: whether the server can have carried it out, and whether the connection is still of use. */
import { TenonError } from '../../jsonrpc/errors.ts';

/**
 * `settled`: the server answered, or this side gave up. `unsent`: the server cannot have begun. `unknown`: it may have
 * carried the call out, and nobody will say.
 */
export type FailureOutcome = 'settled' | 'unsent' | 'unknown';

const refusedBeforeBegun: ReadonlySet<string> = new Set(['connection-refused', 'host-not-found', 'session-lost']);

export function outcomeOf(error: unknown): FailureOutcome {
  if (!(error instanceof TenonError)) return 'settled';
  if (refusedBeforeBegun.has(error.code)) return 'unsent';
  if (error.code === 'unreachable') return isUnconnected(error) ? 'unsent' : 'unknown';
  if (isUnanswered(error)) return 'unknown';
  if (error.code !== 'connection-closed') return 'settled';
  return error.details.sent === false ? 'unsent' : 'unknown';
}

/** Whether there never was a connection to the server that the call could have gone over. */
function isUnconnected({ details: { problem }, cause }: TenonError): boolean {
  return problem === 'UND_ERR_CONNECT_TIMEOUT' || isOfConnect(cause);
}

/** Runtimes wrap what went wrong, and give several where several addresses were tried. */
function isOfConnect(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false;
  const { syscall, cause, errors } = error as { syscall?: unknown; cause?: unknown; errors?: unknown };
  if (syscall === 'connect') return true;
  if (Array.isArray(errors) && errors.length > 0) return errors.every((each) => isOfConnect(each, depth + 1));
  return isOfConnect(cause, depth + 1);
}

const gatewayStatuses: ReadonlySet<unknown> = new Set([502, 504]);

/**
 * Whether the status of a failure of the server is all there is: what stands between may have said it after the server
 * had the call. An answer of the protocol along with it is the server's own word, but for what only a gateway says.
 */
function isUnanswered({ code, details: { status, error } }: TenonError): boolean {
  if (code !== 'server-unavailable' || typeof status !== 'number' || status < 500) return false;
  return gatewayStatuses.has(status) || error === undefined;
}

/** Statuses by which a server says when to come back. */
const busyStatuses: ReadonlySet<unknown> = new Set([429, 503]);

/** Whether the server could not serve one call, and may soon. */
export function isTemporary(error: unknown): boolean {
  if (!isUnavailable(error)) return false;
  const { status, retryAfterMs } = error.details;
  return gatewayStatuses.has(status) || (busyStatuses.has(status) && retryAfterMs !== undefined);
}

/** Whether it was by its status that a server, or what stands before it, did not serve one call. */
export const isUnavailable = (error: unknown): error is TenonError =>
  error instanceof TenonError && error.code === 'server-unavailable';

const connectionLost: ReadonlySet<string> = new Set([
  'connection-refused',
  'host-not-found',
  'session-lost',
  'unreachable',
]);

/** Whether the failure of one call shows that the connection is of no use any more. */
export const isConnectionLost = (error: unknown): boolean =>
  error instanceof TenonError && connectionLost.has(error.code);

/** Requests that change nothing on a server, or nothing that the second one would change again. */
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
  'tools/list',
]);

export const isIdempotent = (method: string): boolean => idempotent.has(method);

/** What broke the connection off is what a caller has to read, so it stands in the message too. */
export function outcomeUnknown(method: string, requestId: unknown, error: TenonError): TenonError {
  const cause = error.cause instanceof TenonError ? error.cause : error;
  return new TenonError('outcome-unknown', `${method} was sent, and no answer will come: ${cause.message}`, {
    hint: 'Find out whether it was carried out before you send it again; mark calls that may be repeated as safe.',
    details: { method, requestId },
    cause,
  });
}
