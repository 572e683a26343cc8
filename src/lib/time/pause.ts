/** Waits for some time, or until a signal is aborted. */
import { listenForAbort, stopListening } from './abort-listeners.ts';
import type { Deadlines } from './deadlines.ts';

/** Resolves in either case: the caller looks at the signal. */
export function pause(deadlines: Deadlines, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      deadlines.cancel(deadline);
      stopListening(signal, end);
      resolve();
    };
    const deadline = deadlines.add(ms, end);
    listenForAbort(signal, end);
  });
}
