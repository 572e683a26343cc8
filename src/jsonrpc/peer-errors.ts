/** The errors of a peer: those it reports to its owner, sends to the other side, or rejects requests with. */

import { TenonError, tenonErrors } from '../lib/errors/tenon-error.ts';
import { excerpt, excerptsOf } from '../lib/text/excerpt.ts';
import { type ErrorObject, RpcError, standardCodes } from './errors.ts';
import type { Arrival, InvalidFrame } from './frame.ts';
import type { RequestId } from './message.ts';

/** The message of the error may quote the text, so the other side gets the meaning of its code only. */
export const invalidText = (error: TenonError): InvalidFrame => ({
  kind: 'invalid',
  error,
  reply: { id: undefined, error: { code: standardCodes['parse-error'], message: tenonErrors[error.code].meaning } },
  answered: [],
});

/** An error without an id belongs to no request, so it concerns the connection. */
export const unreadByPeer = (error: ErrorObject): TenonError =>
  new TenonError('parse-error', `The peer could not read a message: ${excerpt(error.message)} (${error.code}).`, {
    hint: 'If that was a request, it gets no other answer and times out.',
    details: { code: error.code },
    cause: RpcError.answered(error),
  });

export const answerTooLarge: ErrorObject = {
  code: standardCodes['internal-error'],
  message: 'The response is larger than the limit of a message',
};

const noBatches = 'Batches are not supported in this protocol version';

export function batchRefused(arrivals: readonly Arrival[], text: string): InvalidFrame {
  const { short, line } = excerptsOf(text);
  return {
    kind: 'invalid',
    error: new TenonError('invalid-message', `${noBatches}: ${short}.`, { details: { line } }),
    reply: { id: undefined, error: { code: standardCodes['invalid-request'], message: noBatches } },
    answered: arrivals.flatMap(answeredBy),
  };
}

function answeredBy(arrival: Arrival): readonly RequestId[] {
  if (arrival.kind === 'invalid') return arrival.answered;
  return arrival.kind === 'result' || arrival.kind === 'error' ? [arrival.message.id ?? []].flat() : [];
}

export const unsent = (error: unknown): TenonError =>
  error instanceof TenonError
    ? error
    : new TenonError('invalid-outgoing-message', 'An answer was not sent.', { cause: error });

/** `sent: false` means that the request was certainly not carried out. */
export const notSent = ({ message, cause }: TenonError): TenonError =>
  new TenonError('connection-closed', message, { details: { sent: false }, ...(cause !== undefined && { cause }) });

export const inputEnded = (): TenonError =>
  new TenonError('connection-closed', 'The peer closed its output. No more requests can be sent.');

/** The message includes the cause, since that is what a caller needs to read. */
export const closed = (cause: unknown): TenonError =>
  cause === undefined
    ? new TenonError('connection-closed', 'The connection is closed.')
    : new TenonError('connection-closed', `The connection is closed: ${messageOf(cause)}`, { cause });

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
