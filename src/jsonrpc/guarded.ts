/** Runs what a user wrote and nobody waits for: what it throws, at once or by the promise it gives, harms nobody else. */
import { isPromiseLike } from './promise-like.ts';

/** Never throws. `failed` hears what was thrown; where it throws as well there is nobody left to tell. */
export function guarded(run: () => unknown, failed?: (cause: unknown) => void): void {
  const told = (cause: unknown): void => {
    try {
      failed?.(cause);
    } catch {}
  };
  try {
    const given = run();
    // A function that is typed to give nothing may still be an async one, and its rejection would end the process.
    if (isPromiseLike(given)) given.then(undefined, told);
  } catch (cause) {
    told(cause);
  }
}
