/** Regular expressions in linear time: ECMA-262 patterns translated for RE2, or refused. */

import { RE2JS } from 're2js';
import { maxPatternLength, refusal } from '../limits.ts';

/** Whether a text holds a match. */
export interface Matcher {
  (text: string): boolean;
  /** The work for each character of a text: linear in the size of the program, which counted repetitions multiply. */
  readonly stepsPerChar: number;
}

/** Eight instructions on a character take about as long as visiting a subschema (bench/attacks). */
const instructionsPerStep = 8;

// RE2 knows fewer white spaces and line ends than ECMA-262 does.
const spaces =
  '\\t\\n\\x0b\\f\\r \\xa0\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const notSpaces =
  '\\x00-\\x08\\x0e-\\x1f\\x21-\\x9f\\xa1-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const notLineEnd = '[^\\n\\r\\x{2028}\\x{2029}]';

const lookaround = /^\(\?(?:[=!]|<[=!])/;
const property = /^\\[pP]\{(?:(?:Script|sc|General_Category|gc)=)?(\w+)\}/;
/** RE2 knows the general categories by their short names only. */
const shortNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Letter: 'L',
    Uppercase_Letter: 'Lu',
    Lowercase_Letter: 'Ll',
    Mark: 'M',
    Number: 'N',
    Decimal_Number: 'Nd',
    digit: 'Nd',
    Punctuation: 'P',
    punct: 'P',
    Symbol: 'S',
    Separator: 'Z',
    Space_Separator: 'Zs',
    Control: 'Cc',
  }),
);
const surrogatePair = /^\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/i;

/** Compiles `pattern`, found at `pointer`; throws `invalid-schema` where it has no linear form. */
export function compilePattern(pattern: string, pointer: string): Matcher {
  if (pattern.length > maxPatternLength) {
    const hint = 'Shorten the pattern.';
    throw refusal(pointer, `is a pattern of more than ${maxPatternLength} characters.`, hint);
  }
  if (!isEcmaPattern(pattern)) {
    throw refusal(pointer, 'is not a regular expression.', 'Fix the pattern; see ECMA-262, with the u flag.');
  }
  const translated = translate(pattern, pointer);
  try {
    const machine = RE2JS.compile(RE2JS.translateRegExp(translated));
    const stepsPerChar = Math.max(1, machine.programSize() / instructionsPerStep);
    return Object.assign((text: string) => machine.test(text), { stepsPerChar });
  } catch (cause) {
    const hint = 'Write it without that part; repetitions go up to 1000.';
    throw refusal(pointer, `is a pattern that cannot run in linear time: ${(cause as Error).message}.`, hint, cause);
  }
}

/** Many schemas escape more than the u flag allows, so the older grammar does too. */
function isEcmaPattern(pattern: string): boolean {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags) instanceof RegExp;
    } catch {
      // The next grammar may take it.
    }
  }
  return false;
}

function translate(pattern: string, pointer: string): string {
  let text = '';
  let inClass = false;
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at, at + 60);
    const char = rest.charAt(0);
    if (!inClass && lookaround.test(rest)) {
      const hint = 'Write the pattern without (?=, (?!, (?<= and (?<!; two patterns under allOf often do.';
      throw refusal(pointer, 'is a pattern with lookaround, which has no linear form.', hint);
    }
    const [taken, written] = char === '\\' ? escapeOf(rest, inClass, pointer) : plain(char, rest, inClass);
    if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    text += written;
    at += taken;
  }
  return text;
}

/** How many characters of the pattern a token has, and how RE2 writes it. */
type Token = readonly [taken: number, written: string];

function plain(char: string, rest: string, inClass: boolean): Token {
  if (char === '.' && !inClass) return [1, notLineEnd];
  // RE2 reads [: inside a class as the name of a POSIX class.
  if (char === '[' && inClass) return [1, '\\['];
  if (char === '[' && rest.startsWith('[]')) return [2, '[^\\x00-\\x{10FFFF}]'];
  if (char === '[' && rest.startsWith('[^]')) return [3, '[\\x00-\\x{10FFFF}]'];
  return [1, char];
}

function escapeOf(rest: string, inClass: boolean, pointer: string): Token {
  const letter = rest.charAt(1);
  if (letter === 's') return [2, inClass ? spaces : `[${spaces}]`];
  if (letter === 'S') return [2, inClass ? notSpaces : `[${notSpaces}]`];
  if (letter === 'b' && inClass) return [2, '\\x08'];
  if (letter === '0') return [2, '\\x00'];
  if (letter === 'k' || (/[1-9]/.test(letter) && !inClass)) {
    const hint = 'Write the pattern without \\1 and \\k<name>.';
    throw refusal(pointer, 'is a pattern with a backreference, which has no linear form.', hint);
  }
  const named = property.exec(rest);
  if (named !== null) {
    const name = named[1] ?? '';
    return [named[0].length, `\\${letter}{${shortNames.get(name) ?? name}}`];
  }
  const pair = surrogatePair.exec(rest);
  if (pair !== null) {
    const [high, low] = [Number.parseInt(pair[1] ?? '', 16), Number.parseInt(pair[2] ?? '', 16)];
    return [pair[0].length, `\\x{${(0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00)).toString(16)}}`];
  }
  if (/[A-Za-z1-9]/.test(letter) && !/[bBcdDfnrtuvwWxpP]/.test(letter)) {
    throw refusal(pointer, `is a pattern with the unknown escape \\${letter}.`, 'Drop the backslash.');
  }
  return [2, rest.slice(0, 2)];
}
