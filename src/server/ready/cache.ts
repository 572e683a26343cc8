/** Holds cache hints against what can be sent. */
import { TenonError } from '../../jsonrpc/errors.ts';
import type { CacheHint } from '../../protocol/neutral.ts';

/** Throws `invalid-definition` for a hint that no result could carry. */
export function checkCache(place: string, cache: CacheHint | undefined): void {
  if (cache === undefined) return;
  const { ttlMs, scope } = cache;
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 0) {
    throw new TenonError('invalid-definition', `${place}.ttlMs: ${ttlMs} is no time to keep a result for.`, {
      hint: 'Use whole milliseconds, 0 or more.',
    });
  }
  if (scope !== 'public' && scope !== 'private') {
    throw new TenonError('invalid-definition', `${place}.scope: ${JSON.stringify(scope)} is no scope.`, {
      hint: "Use 'public' or 'private'.",
    });
  }
}
