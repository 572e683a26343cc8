/** The errors of a peer: those it reports to its owner, sends to the other side, or rejects requests with. */
import { type ErrorObject, standardCodes, TenonError, tenonErrors } from './errors.ts';
import { excerptsOf } from './excerpt.ts';
import type { Arrival, InvalidFrame } from './frame.ts';
import type { RequestId } from './message.ts';

/** The message of the error may quote the text, so the other side gets the meaning of its code only. */
export const invalidText = (error: TenonError): InvalidFrame => ({
  kind: 'invalid',
  error,
  reply: { id: undefined, error: { code: standardCodes['parse-error'], message: tenonErrors[error.code].meaning } },
  answered: [],
});

export const answerTooLarge: ErrorObject = {
  code: standardCodes['internal-error'],
  message: 'The answer is larger than a message may be here',
};

export function batchRefused(arrivals: readonly Arrival[], text: string): InvalidFrame {
  const { short, line } = excerptsOf(text);
  return {
    kind: 'invalid',
    error: new TenonError('invalid-message', `A batch came, and this connection has none: ${short}.`, {
      details: { line },
    }),
    reply: {
      id: undefined,
      error: { code: standardCodes['invalid-request'], message: 'Batches are not supported here' },
    },
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
  new TenonError('connection-closed', 'The other side says no more, so nothing can be asked of it.');

/** The message includes the cause, since that is what a caller needs to read. */
export const closed = (cause: unknown): TenonError =>
  cause === undefined
    ? new TenonError('connection-closed', 'The connection is closed.')
    : new TenonError('connection-closed', `The connection is closed: ${messageOf(cause)}`, { cause });

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
