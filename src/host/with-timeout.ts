/** Runs a function with a time limit, and cancels it when a signal is aborted. */
import { listenForAbort, stopListening } from '../lib/time/abort-listeners.ts';
import type { Deadlines } from '../lib/time/deadlines.ts';
import { createDeferred } from '../lib/values/deferred.ts';

export interface TimeoutOptions {
  readonly deadlines: Deadlines;
  readonly ms: number;
  /** The error when the time is up. */
  readonly timedOut: () => Error;
  /** Each of these signals cancels it. */
  readonly signals?: readonly AbortSignal[];
}

/** Settles when `run` does, when its time is up, or when a signal is aborted; the last two abort the signal of `run`. */
export async function withTimeout<T>(
  { deadlines, ms, timedOut, signals = [] }: TimeoutOptions,
  run: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  for (const signal of signals) signal.throwIfAborted();
  const controller = new AbortController();
  const cancelled = createDeferred<never>();
  const cancel = (reason: unknown): void => {
    cancelled.reject(reason);
    controller.abort(reason);
  };
  const deadline = deadlines.add(ms, () => cancel(timedOut()));
  const listeners = signals.map((signal) => ({ signal, onAbort: () => cancel(signal.reason) }));
  for (const { signal, onAbort } of listeners) listenForAbort(signal, onAbort);
  try {
    const running = (async () => run(controller.signal))();
    return await Promise.race([running, cancelled.promise]);
  } finally {
    deadlines.cancel(deadline);
    for (const { signal, onAbort } of listeners) stopListening(signal, onAbort);
  }
}
