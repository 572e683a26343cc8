/** What a peer says of what went wrong: to its owner, to the other side, to whoever waits. */
import { type ErrorObject, standardCodes, TenonError } from './errors.ts';
import { type Arrival, excerpt, type FrameFault, shownLine } from './frame.ts';
import type { RequestId } from './message.ts';

export const noise = (error: TenonError): FrameFault => ({
  kind: 'fault',
  error,
  reply: { id: undefined, error: { code: standardCodes['parse-error'], message: error.message } },
  answered: [],
});

export const answerTooLarge: ErrorObject = {
  code: standardCodes['internal-error'],
  message: 'The answer is larger than a message may be here',
};

export const batchRefused = (arrivals: readonly Arrival[], text: string): FrameFault => ({
  kind: 'fault',
  error: new TenonError('invalid-message', `A batch came, and this connection has none: ${excerpt(text)}.`, {
    details: { line: shownLine(text) },
  }),
  reply: {
    id: undefined,
    error: { code: standardCodes['invalid-request'], message: 'Batches are not supported here' },
  },
  answered: arrivals.flatMap(answeredBy),
});

function answeredBy(arrival: Arrival): readonly RequestId[] {
  if (arrival.kind === 'fault') return arrival.answered;
  return arrival.kind === 'result' || arrival.kind === 'error' ? [arrival.message.id ?? []].flat() : [];
}

export const unsent = (error: unknown): TenonError =>
  error instanceof TenonError ? error : new TenonError('invalid-outgoing', 'An answer was not sent.', { cause: error });

/** Of a request that never left it is certain that nobody carried it out. */
export const unsentBecause = ({ message, cause }: TenonError): TenonError =>
  new TenonError('connection-closed', message, { details: { sent: false }, ...(cause !== undefined && { cause }) });

export const saysNoMore = (): TenonError =>
  new TenonError('connection-closed', 'The other side says no more, so nothing can be asked of it.');

/** What ended the connection is what a caller has to read, so it stands in the message too. */
export const closed = (cause: unknown): TenonError =>
  cause === undefined
    ? new TenonError('connection-closed', 'The connection is closed.')
    : new TenonError('connection-closed', `The connection is closed: ${messageOf(cause)}`, { cause });

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
