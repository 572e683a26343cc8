/** Waits for a promise, but no longer than a given time. */
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { createDeferred } from '../../lib/values/deferred.ts';

/** Resolves with the result, or with the fallback after `ms`. The promise itself continues. */
export async function resolveWithin<A, B>(
  fallback: B,
  work: Promise<A>,
  deadlines: Deadlines,
  ms: number,
): Promise<A | B> {
  const late = createDeferred<B>();
  const deadline = deadlines.add(ms, () => late.resolve(fallback));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    deadlines.cancel(deadline);
  }
}
