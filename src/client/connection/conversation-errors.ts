/** The errors of calls that cannot continue, or cannot be written. */
import { RpcError } from '../../jsonrpc/errors.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { isRecord } from '../../lib/values/is.ts';
import type { Explanation } from '../../protocol/neutral.ts';
import type { Revision } from '../../protocol/revision.ts';

export const cancelled = (method: string, cause: unknown): TenonError =>
  new TenonError('cancelled', `${method} was cancelled while it waited for input.`, { cause });

/** How a Tenon server rejects a request state: it is not valid, or its call has finished. */
export const refusesState = (error: unknown): error is RpcError =>
  error instanceof RpcError &&
  isRecord(error.data) &&
  (error.data.requestState === 'refused' || error.data.requestState === 'used');

/** The caller decides whether to start over. */
export const stateRefused = (method: string, cause: RpcError): TenonError =>
  new TenonError('invalid-request-state', `${method} cannot continue: the server does not accept its request state.`, {
    hint: 'Call it again from the start; all input is requested again.',
    details: { method },
    cause,
  });

export const withoutRounds = (method: string, revision: string): TenonError =>
  new TenonError('capability-not-supported', `${method} has no rounds in protocol version ${revision}.`, {
    hint: 'Nothing was sent. There the server sends its requests to your "handlers", or to "answers" of the call.',
    details: { method, protocolVersion: revision },
  });

export const urlElicitationTimedOut = (method: string, cause: unknown): TenonError =>
  new TenonError(
    'timeout',
    `${method} requires a URL elicitation, and the server did not report it complete in time.`,
    {
      cause,
      hint: 'The user accepted it. Call again when the user is done, or raise timeouts.urlElicitationMs.',
      details: { method },
    },
  );

export async function unwritable(
  revision: Revision,
  method: string,
  reason: string,
  explained: Promise<Explanation>,
): Promise<TenonError> {
  if (reason !== 'method-not-found') return new TenonError('invalid-outgoing-message', (await explained).text);
  return new TenonError('capability-not-supported', `${method} does not exist in protocol version ${revision.id}.`, {
    details: { method, protocolVersion: revision.id },
  });
}
