/** Answers all requests of one `input_required` result, or none of them, within a time limit. */

import { TenonError } from '../../lib/errors/tenon-error.ts';
import { listenForAbort, stopListening } from '../../lib/time/abort-listeners.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { createDeferred } from '../../lib/values/deferred.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { InputRequest } from '../../protocol/neutral.ts';

/**
 * Requests of a server at once: each of them can show a form to the user.
 * @limit client
 * @beyond the server request is rejected; so is a `tasks/result` beyond as many that wait
 * @code overloaded
 */
export const maxServerRequests = 100;

/** The error for a server whose call has finished: the user is not asked any more. */
export const callFinishedText = 'The call that this request belongs to is finished';

export type InputRequests = Readonly<Record<string, InputRequest>>;

/** How long answers may take, and the clock for that. */
export interface AnswerTiming {
  readonly deadlines: Deadlines;
  readonly inputMs: number;
}

export interface RequestAnswerer extends AnswerTiming {
  /** Answers one request of a result, under the key it came with. */
  answer(request: InputRequest, signal: AbortSignal, key: string): Promise<Fields>;
}

function checkCount(method: string, count: number): void {
  if (count <= maxServerRequests) return;
  const text = `The server requested ${count} inputs at once for ${method}; the limit is ${maxServerRequests}.`;
  throw new TenonError('invalid-result', text, { details: { count, limit: maxServerRequests } });
}

/** Answers all requests. Abandons all of them when one fails, the call is cancelled, or the time is up. */
export async function answerAll(
  answerer: RequestAnswerer,
  method: string,
  requests: InputRequests,
  signals: readonly AbortSignal[],
): Promise<Fields> {
  const { deadlines, inputMs } = answerer;
  checkCount(method, Object.keys(requests).length);
  for (const signal of signals) signal.throwIfAborted();
  // A signal for each, so that the listeners of handlers do not accumulate on one.
  const pending = Object.entries(requests).map(([key, request]) => ({
    key,
    request,
    controller: new AbortController(),
  }));
  const abandoned = createDeferred<never>();
  const abandon = (reason: unknown): void => {
    abandoned.reject(reason);
    for (const { controller } of pending) controller.abort(reason);
  };
  const deadline = deadlines.add(inputMs, () => abandon(answerTimedOut(method, inputMs)));
  const listening = signals.map((signal) => ({ signal, run: () => abandon(signal.reason) }));
  for (const { signal, run } of listening) listenForAbort(signal, run);
  try {
    const answers = pending.map(async ({ key, request, controller }) => [
      key,
      await answerer.answer(request, controller.signal, key),
    ]);
    return Object.fromEntries(await Promise.race([Promise.all(answers), abandoned.promise]));
  } catch (error) {
    abandon(error);
    throw error;
  } finally {
    // The connection outlives its calls: their listeners must be removed from its signal.
    for (const { signal, run } of listening) stopListening(signal, run);
    deadlines.cancel(deadline);
  }
}

/** The error for a request that was not answered in time. */
export const answerTimedOut = (method: string, inputMs: number): TenonError =>
  new TenonError('server-request-failed', `A server request of ${method} was not answered within ${inputMs} ms.`, {
    hint: 'Answer sooner, or raise the option "timeouts.inputMs".',
    details: { method, inputMs },
  });
