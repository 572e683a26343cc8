/** Runs something that may take only so long, and that the caller may cancel. */
import { processDeadlines } from '../../lib/time/deadlines.ts';

/** Rejects with the reason of the signal, or with `late()`, even where `run` ignores the signal that it gets. */
export async function withTimeLimit<T>(
  ms: number,
  signal: AbortSignal | undefined,
  late: () => Error,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw signal.reason;
  const control = new AbortController();
  const deadlines = processDeadlines();
  const deadline = deadlines.add(ms, () => control.abort(late()));
  const onAbort = (): void => control.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  try {
    return await Promise.race([
      run(control.signal),
      new Promise<never>((_resolve, reject) =>
        control.signal.addEventListener('abort', () => reject(control.signal.reason)),
      ),
    ]);
  } catch (error) {
    throw control.signal.aborted ? control.signal.reason : error;
  } finally {
    deadlines.cancel(deadline);
    signal?.removeEventListener('abort', onAbort);
  }
}
