/** An error in what was typed: printed with a hint, and exit code 2. */
import { TenonError } from '../lib/errors/tenon-error.ts';
import { nearestName } from '../lib/text/nearest-name.ts';

export const usageError = (message: string, hint: string): TenonError =>
  new TenonError('invalid-argument', message, { hint });

/** With the nearest of the names that there are, if one is near. */
export function unknownName(kind: string, given: string, names: readonly string[], otherwise: string): TenonError {
  const near = nearestName(given, names);
  return usageError(
    `There is no ${kind} ${JSON.stringify(given)}.`,
    near === undefined ? otherwise : `Did you mean ${near}?`,
  );
}
