/** Holds completers against the arguments they are for. */
import type { Completer } from '../definition/resource.ts';
import { refused } from './definition-error.ts';

/** Completers by argument; one for an argument that does not exist could never be asked. */
export function completers(
  place: string,
  complete: Readonly<Record<string, Completer>>,
  names: Iterable<string>,
): ReadonlyMap<string, Completer> {
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
