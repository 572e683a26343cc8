/** Validates that every completer belongs to an argument. */
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import type { CompleteCallback } from '../definition/resource.ts';
import { refused } from './definition-error.ts';

/** Completers by argument. Throws for an argument that does not exist: its completer would never run. */
export function completers(
  place: string,
  complete: Readonly<Record<string, CompleteCallback | undefined>>,
  names: Iterable<string>,
): ReadonlyMap<string, CompleteCallback> {
  const known = [...names];
  const found = new Map<string, CompleteCallback>();
  for (const [name, callback] of Object.entries(complete)) {
    if (callback === undefined) continue;
    if (!known.includes(name)) throw unknownArgument(`${place}.complete.${name}`, known);
    if (typeof callback !== 'function') throw notCallback(`${place}.complete.${name}`);
    found.set(name, callback);
  }
  return found;
}

const unknownArgument = (place: string, known: readonly string[]): TenonError =>
  refused(`${place}: there is no argument of this name.`, `The arguments are ${known.join(', ') || 'none'}.`);

const notCallback = (place: string): TenonError =>
  refused(`${place} is not a function.`, "Write (typed) => ['first', 'second'].");
