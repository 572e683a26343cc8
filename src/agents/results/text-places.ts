/** The places of a short text in a long one, in time linear in both: tools choose one of them, and models the other. */

/** Upper and lower case count as the same. The places do not overlap. */
export function* placesOf(text: string, wanted: string, from: number): Generator<number> {
  const [letters, sought] = [folded(text), folded(wanted)];
  const borders = bordersOf(sought);
  let matched = 0;
  for (let at = from; at < letters.length; at++) {
    const letter = letters.charCodeAt(at);
    while (matched > 0 && sought.charCodeAt(matched) !== letter) matched = borders[matched - 1] as number;
    if (sought.charCodeAt(matched) === letter) matched++;
    if (matched < sought.length) continue;
    yield at + 1 - matched;
    matched = 0;
  }
}

/** In lower case, and as long as before: one letter would become two, and one has two forms. */
const folded = (text: string): string => text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ');

/** For each beginning of a text how much of it, but not all, is also its end (Knuth, Morris and Pratt). */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text.charCodeAt(at) !== text.charCodeAt(length)) length = borders[length - 1] as number;
    if (text.charCodeAt(at) === text.charCodeAt(length)) length++;
    borders[at] = length;
  }
  return borders;
}
