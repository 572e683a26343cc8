/** Validates cache hints. */
import type { CacheHint } from '../../protocol/neutral.ts';
import { refused } from './definition-error.ts';

/** Throws `invalid-definition` for an invalid hint. */
export function checkCache(place: string, cache: CacheHint | undefined): void {
  if (cache === undefined) return;
  const { ttlMs, scope } = cache;
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 0) {
    throw refused(`${place}.ttlMs: ${ttlMs} is not a duration.`, 'Use whole milliseconds, 0 or more.');
  }
  if (scope !== 'public' && scope !== 'private') {
    throw refused(`${place}.scope: ${JSON.stringify(scope)} is not a scope.`, "Use 'public' or 'private'.");
  }
}
