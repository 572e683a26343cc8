/** A promise that rejects as soon as a signal is aborted. What it waited for goes on. */
import { listenForAbort, stopListening } from './abort-listeners.ts';

export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    listenForAbort(signal, abort);
    promise.then(resolve, reject).finally(() => stopListening(signal, abort));
  });
}
