/** Where a text is in another, in time linear in both: `String.indexOf` takes their product for some, such as a few `a` around a `b` in many `a`. */

/** Of a shorter text the product is small. */
const leastChars = 32;

/** The first place at or after `from`; -1 if there is none. The algorithm of Knuth, Morris and Pratt. */
export function indexOf(text: string, sought: string, from: number): number {
  if (sought.length < leastChars) return text.indexOf(sought, from);
  const fallbacks = fallbacksOf(sought);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && sought.charCodeAt(matched) !== code) matched = fallbacks[matched - 1] ?? 0;
    if (sought.charCodeAt(matched) === code) matched++;
    if (matched === sought.length) return at - matched + 1;
  }
  return -1;
}

/** For each beginning of a text, how much of its end is a beginning too. */
function fallbacksOf(text: string): Uint32Array {
  const fallbacks = new Uint32Array(text.length);
  let matched = 0;
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && text.charCodeAt(matched) !== code) matched = fallbacks[matched - 1] ?? 0;
    if (text.charCodeAt(matched) === code) matched++;
    fallbacks[at] = matched;
  }
  return fallbacks;
}
