/** Which changes of the public API break callers and are not announced. */
import { breakingOf, releasedIn } from '../release/changelog.ts';

/**
 * The lines of a report that were removed or changed, and whose name no entry under "Breaking" has. Before the first
 * release there are no callers to announce it to.
 */
export function unannounced(before: string, after: string, changelog: string): string[] {
  if (releasedIn(changelog).length === 0) return [];
  const lines = new Set(after.split('\n'));
  const announced = breakingOf(changelog);
  return before.split('\n').filter((line) => line !== '' && !lines.has(line) && !isNamedIn(announced, line));
}

/** In the form of code: `connect` in the line `connect: function(…)`. */
function isNamedIn(announced: string, line: string): boolean {
  const name = /^[\w$]+/.exec(line)?.[0] ?? line;
  return new RegExp(`\`${name.replaceAll('$', '\\$')}(?![\\w$])`).test(announced);
}
