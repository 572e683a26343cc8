/** An error in what was typed: printed with a hint, and exit code 2. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import { nearestName } from '../lib/text/nearest-name.ts';

export const usageError = (message: string, hint: string): TenonError =>
  new TenonError('invalid-argument', message, { hint });

/** With the names that were probably meant, if there are any. */
export function unknownName(kind: string, given: string, names: readonly string[], otherwise: string): TenonError {
  const near = namesLike(given, names);
  return usageError(
    `There is no ${kind} ${JSON.stringify(given)}.`,
    near.length === 0 ? otherwise : `Did you mean ${near.join(', ')}?`,
  );
}

/** More would be a list to search in. */
const maxSuggested = 3;

/** The name with nearly the same letters, or a few that contain what was typed. */
function namesLike(given: string, names: readonly string[]): readonly string[] {
  const near = nearestName(given, names);
  if (near !== undefined) return [near];
  const part = given.toLowerCase();
  return part.length < 2 ? [] : names.filter((name) => name.toLowerCase().includes(part)).slice(0, maxSuggested);
}
