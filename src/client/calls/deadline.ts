/** Cancels a call when its whole time has passed, however much progress it reports. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import type { Fields } from '../../lib/values/is.ts';
import { shownCall } from './shown-call.ts';

/** Runs a call with a signal that is aborted after `ms`, or with the signal of the caller. */
export async function withDeadline<T>(
  deadlines: Deadlines,
  ms: number,
  signal: AbortSignal | undefined,
  timedOut: () => TenonError,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const deadline = deadlines.add(ms, () => timeout.abort(timedOut()));
  try {
    return await call(signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]));
  } catch (error) {
    throw timeout.signal.aborted && !signal?.aborted ? timeout.signal.reason : error;
  } finally {
    deadlines.cancel(deadline);
  }
}

/** The error of a call whose whole time has passed. */
export const notFinished = (method: string, params: Fields | undefined, maxTotalTimeoutMs: number): TenonError =>
  new TenonError('timeout', `${shownCall(method, params)} was not finished within ${maxTotalTimeoutMs} ms.`, {
    hint: 'Raise the option "maxTotalTimeoutMs" of the call.',
    details: { method, maxTotalTimeoutMs },
  });
