/** Holds completers against the arguments they are for. */
import type { CompleteCallback } from '../definition/resource.ts';
import { refused } from './definition-error.ts';

/** Completers by argument; one for an argument that does not exist could never be asked. */
export function completers(
  place: string,
  complete: Readonly<Record<string, CompleteCallback>>,
  names: Iterable<string>,
): ReadonlyMap<string, CompleteCallback> {
  const known = [...names];
  for (const name of Object.keys(complete)) {
    if (known.includes(name)) continue;
    throw refused(
      `${place}.complete.${name}: there is no argument of this name.`,
      `The arguments are ${known.join(', ') || 'none'}.`,
    );
  }
  return new Map(Object.entries(complete));
}
