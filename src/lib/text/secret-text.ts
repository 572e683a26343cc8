/** Finds secrets in text by their form, by the name that stands before them, and in common encodings. In linear time. */
import { maskEncoded } from './secret-encodings.ts';
import { secretForms } from './secret-forms.ts';
import { isSecretName, isTokensName, nameMarks } from './secret-names.ts';

export const masked = '[masked]';

const formMarks = new RegExp(secretForms.map(({ mark }) => mark).join('|'), 'i');
const marks = new RegExp(`${nameMarks}|${formMarks.source}`, 'i');

/** The same as `maskText`, for many short texts: most have no mark of a secret, and one search is faster than masking. */
export const maskMarked = (text: string): string => (marks.test(text) ? maskText(text) : text);

/** Returns the replacement of a secret. */
export type MaskSecret = (secret: string) => string;

const maskAll: MaskSecret = () => masked;

/** A copy of the text in which secrets are masked. All of it is where a secret may be longer than can be matched. */
export function maskText(text: string, ownPatterns: readonly RegExp[] = [], mask: MaskSecret = maskAll): string {
  try {
    return maskParts(text, ownPatterns, mask);
  } catch (error) {
    // An expression has more to return to than its stack holds: a match of about 8 million characters.
    if (error instanceof RangeError) return mask(text);
    throw error;
  }
}

function maskParts(text: string, ownPatterns: readonly RegExp[], mask: MaskSecret): string {
  let result = text;
  for (const pattern of ownPatterns) result = result.replaceAll(global(pattern), (secret) => mask(secret));
  result = maskForms(result, mask);
  // Most texts have no name with a value, and masking takes most of the time of a capture.
  if (/[:=>]/.test(result)) result = maskElements(maskNamed(result, mask), mask);
  return maskEncoded(result, hasForm, mask);
}

const hasForm = (text: string): boolean => formMarks.test(text) && maskForms(text, maskAll) !== text;

function maskForms(text: string, mask: MaskSecret): string {
  if (!formMarks.test(text)) return text;
  let result = text;
  for (const { pattern } of secretForms) result = result.replace(pattern, (...found) => maskedMatch(found, mask));
  return result;
}

/** The last argument of a replacer has the named groups, if the pattern has any. */
function maskedMatch(found: readonly unknown[], mask: MaskSecret): string {
  const whole = found[0] as string;
  const last = found.at(-1);
  const { before = '', after = '' } = (typeof last === 'object' ? last : {}) as { before?: string; after?: string };
  return before + mask(whole.slice(before.length, whole.length - after.length)) + after;
}

/** `name=`, `name: `, `"name": `, `user[name]=`; with colours of a terminal where a text has them. */
const named = (colour: string): RegExp =>
  new RegExp(
    `(?<![\\w.-])([\\w.-]{1,64})${colour}(?:\\]|%5[Dd])?\\\\{0,3}["']?${colour}\\s{0,4}[:=]${colour}[ \\t]{0,64}(?:\\r?\\n[ \\t]{0,16})?`,
    'g',
  );
const plainNames = named('');
const colouredNames = named('(?:\\u001b\\[[\\d;]{0,12}m)?');

/** The first of two words that are one name. */
const firstWord = /(?:api|access|account|private|secret|signing|encryption) $/i;

/**
 * A quoted value, also one that is cut off or has a letter before it, the quote escaped, a list or an object up to its first
 * end, or a value without spaces: a comma or semicolon ends it only where something follows that looks like the next field.
 */
const valuePattern =
  /(?:[bru]{1,2}(?=["']))?(?:"(?:[^"\\]|\\[^])*(?:"|\\?$)|'[^']*(?:'|$))|\\{1,3}["'][^"'\\]*|[[{][^\]}]*[\]}]?|(?:[^\s"'&,;{}[\]<]|[,;](?!["'\s{}[\]]|$|[\w.-]{1,64}["']?\s{0,4}[:=]))+/iy;

/** Masks the values of names, also in JSON inside a text of JSON. */
function maskNamed(text: string, mask: MaskSecret): string {
  const names = text.includes('\u001b') ? colouredNames : plainNames;
  let result = '';
  let copied = 0;
  names.lastIndex = 0;
  for (let found = names.exec(text); found !== null; found = names.exec(text)) {
    const name = wholeName(text, found);
    const end = names.lastIndex;
    if (!isSecretName(name) && !isTokensName(name)) continue;
    valuePattern.lastIndex = end;
    const secret = valuePattern.exec(text)?.[0];
    if (secret === undefined || (!isSecretName(name) && isCount(secret))) continue;
    const [opening = '', quote = ''] = /^[bru]{0,2}(["'])/i.exec(secret) ?? [];
    const inner = secret.slice(opening.length, quote !== '' && secret.endsWith(quote) ? -1 : undefined);
    result += `${text.slice(copied, end)}${opening}${mask(inner)}${quote}`;
    copied = end + secret.length;
    names.lastIndex = copied;
  }
  return result + text.slice(copied);
}

function wholeName(text: string, { 1: name = '', index }: RegExpExecArray): string {
  if (text[index - 1] !== ' ') return name;
  return (firstWord.exec(text.slice(Math.max(0, index - 12), index))?.[0] ?? '') + name;
}

/** Numbers, or a list of them. */
const isCount = (value: string): boolean => /^[\s\d.,[\]]*$/.test(value);

/** Masks the texts of elements such as `<password>…</password>`. */
const maskElements = (text: string, mask: MaskSecret): string =>
  text.includes('</')
    ? text.replace(
        /(<([\w.:-]{1,64})(?:\s[^<>]{0,200})?>)([^<>]{1,4096})(?=<\/)/g,
        (whole, tag: string, name: string, value: string) => (isSecretName(name) ? tag + mask(value) : whole),
      )
    : text;

const global = (pattern: RegExp): RegExp => (pattern.global ? pattern : new RegExp(pattern, `${pattern.flags}g`));
