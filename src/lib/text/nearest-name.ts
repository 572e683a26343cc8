/** Finds unknown names, and the known name that was probably meant. */

/** The first unknown name, with a hint. `place` is put before the suggested name. */
export function unknownName(
  names: Readonly<Record<string, unknown>>,
  known: readonly string[],
  place = '',
): { readonly name: string; readonly meant: string | undefined; readonly hint: string } | undefined {
  const name = Object.keys(names).find((one) => names[one] !== undefined && !known.includes(one));
  if (name === undefined) return undefined;
  const meant = nearestName(name, known);
  return { name, meant, hint: hintFor(meant, known, place) };
}

/** The known name that was probably meant, or all of them. */
export const nameHint = (name: string, known: readonly string[]): string =>
  hintFor(nearestName(name, known), known, '');

const hintFor = (meant: string | undefined, known: readonly string[], place: string): string =>
  meant === undefined ? `There are ${known.join(', ')}.` : `Did you mean ${place}${meant}?`;

/**
 * The known name with the smallest edit distance, if it is small; else one with the same beginning, such as
 * `maxBodyBytes` for `maxBody`.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  let meant: string | undefined;
  // At least half the letters of a short name must match: `cors` is not `port`.
  let least = Math.min(2 + Math.floor(name.length / 4), Math.ceil(name.length / 2));
  for (const one of known) {
    // A unit at the end is easily forgotten: `timeout` means `timeoutMs`, not `timeouts`.
    const changes = Math.min(
      ...[one, one.replace(/(?:Ms|Bytes|Chars)$/, '')].map((each) =>
        // Each letter that one has more is a change.
        Math.abs(name.length - each.length) < least ? changesBetween(name.toLowerCase(), each.toLowerCase()) : least,
      ),
    );
    if (changes < least) [meant, least] = [one, changes];
  }
  return meant ?? known.find((one) => name.length > 3 && one.toLowerCase().startsWith(name.toLowerCase()));
}

/** How many letters have to be put in, taken out or replaced. */
function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [n, letter] of [...from].entries()) {
    const next = [n + 1];
    for (let at = 1; at <= to.length; at++) {
      const kept = (row[at - 1] ?? 0) + (to[at - 1] === letter ? 0 : 1);
      next.push(Math.min(kept, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
