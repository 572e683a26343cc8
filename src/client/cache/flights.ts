/** Equal requests in flight share one result. The request is cancelled when the last caller cancels. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { listenForAbort, stopListening } from '../../lib/time/abort-listeners.ts';
import type { Fields } from '../../lib/values/is.ts';
import { shownCall } from '../calls/shown-call.ts';

export interface Flight<T = Fields> {
  /** Set when a change was notified after it was sent: its result may be outdated. */
  isOutdated: boolean;
  /** Whether equal requests may share it. */
  readonly isOpen: boolean;
  readonly abandoned: AbortController;
  answer: Promise<T>;
  /** How many callers wait for it. */
  waiting: number;
}

/** Starts a request. */
export function beginFlight<T>(isOpen: boolean, send: (flight: Flight<T>) => Promise<T>): Flight<T> {
  const flight: Flight<T> = {
    isOutdated: false,
    isOpen,
    abandoned: new AbortController(),
    answer: notSentYet,
    waiting: 0,
  };
  flight.answer = send(flight);
  // Waiting callers receive the error; cancelled ones do not need it.
  flight.answer.catch(() => {});
  return flight;
}

const notSentYet: Promise<never> = new Promise(() => {});

export const isJoinable = <T>(flight: Flight<T> | undefined): flight is Flight<T> =>
  flight?.isOpen === true && !flight.isOutdated && !flight.abandoned.signal.aborted;

/** Waits for the result, until the signal of this caller is aborted. */
export function joinFlight<T>(
  flight: Flight<T>,
  method: string,
  params: Fields | undefined,
  signal: AbortSignal | undefined,
): Promise<T> {
  flight.waiting++;
  if (signal === undefined) return flight.answer;
  return new Promise((resolve, reject) => {
    const cancel = (): void => {
      stopListening(signal, cancel);
      reject(
        new TenonError('cancelled', `${shownCall(method, params)} was cancelled.`, {
          cause: signal.reason,
          details: { method },
        }),
      );
      if (--flight.waiting === 0) flight.abandoned.abort(signal.reason);
    };
    if (signal.aborted) return cancel();
    listenForAbort(signal, cancel);
    flight.answer.then(resolve, reject).finally(() => stopListening(signal, cancel));
  });
}
