/** Runs something for as long as it may take, and no longer. */
import { listenForAbort, stopListening } from '../jsonrpc/abort-listeners.ts';
import type { Deadlines } from '../jsonrpc/deadlines.ts';

export interface Bounds {
  readonly deadlines: Deadlines;
  readonly ms: number;
  /** What is said when the time is up. */
  readonly late: () => Error;
  /** Whatever gives it up. */
  readonly signals?: readonly AbortSignal[];
}

/** Settles when it is done, when its time is up, or when a signal is aborted; what runs hears of the latter two. */
export async function within<T>(
  { deadlines, ms, late, signals = [] }: Bounds,
  run: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  for (const signal of signals) signal.throwIfAborted();
  const own = new AbortController();
  let giveUp = (_reason: unknown): void => {};
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = (reason) => {
      reject(reason);
      own.abort(reason);
    };
  });
  const deadline = deadlines.add(ms, () => giveUp(late()));
  const listening = signals.map((signal) => ({ signal, run: () => giveUp(signal.reason) }));
  for (const { signal, run: leave } of listening) listenForAbort(signal, leave);
  try {
    const running = (async () => run(own.signal))();
    return await Promise.race([running, givenUp]);
  } finally {
    deadlines.cancel(deadline);
    for (const { signal, run: leave } of listening) stopListening(signal, leave);
  }
}
