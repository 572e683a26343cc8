/** Runs a callback of the user that no code waits for, so that its errors, thrown or rejected, cannot break anything else. */
import { isPromiseLike } from './is.ts';

/** Never throws. `onError` gets the error; an error that it throws itself is ignored. */
export function runSafely(run: () => unknown, onError?: (cause: unknown) => void): void {
  const report = (cause: unknown): void => {
    try {
      onError?.(cause);
    } catch {}
  };
  try {
    const result = run();
    // A function typed to return nothing may still be async, and its rejection would end the process.
    if (isPromiseLike(result)) result.then(undefined, report);
  } catch (cause) {
    report(cause);
  }
}
