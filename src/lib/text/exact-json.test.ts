import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { exactJson, shownJson } from './exact-json.ts';

it.each([
  ['the order of keys', '{"a":1,"b":2}', '{"b":2,"a":1}'],
  ['escapes', '{"a":"é\\u00e9"}', '{"\\u0061":"\\u00e9é"}'],
  ['the notation of numbers', '{"a":100}', '{"a":1e2}'],
])('is one text whatever %s', (_name, one, other) => {
  expect(exactJson(JSON.parse(one))).toBe(exactJson(JSON.parse(other)));
});

it.each([
  ['an absent key and null', '{}', '{"a":null}'],
  ['a text and a number', '{"a":1}', '{"a":"1"}'],
  ['composed and decomposed characters', '{"a":"\\u00e9"}', '{"a":"e\\u0301"}'],
  ['both zeros', '{"a":0}', '{"a":-0}'],
  ['a list and an object', '{"a":["x"]}', '{"a":{"0":"x"}}'],
  ['half of a surrogate pair and its replacement', '{"a":"\\ud800"}', '{"a":"\\ufffd"}'],
  ['a comma in a key', '{"a,b":1}', '{"a":1,"b":1}'],
  ['keys that only look the same', '{"а":1}', '{"a":1}'],
])('distinguishes %s', (_name, one, other) => {
  expect(exactJson(JSON.parse(one))).not.toBe(exactJson(JSON.parse(other)));
});

it('has no text for what JSON cannot represent', () => {
  for (const value of [JSON.parse('{"a":1e999}'), { a: undefined }, { a: 1n }, () => 1, undefined])
    expect(exactJson(value)).toBeUndefined();
});

it('returns any JSON value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      expect(JSON.parse(exactJson(value) as string)).toEqual(JSON.parse(JSON.stringify(value).replace(/^-0$/, '-0')));
      expect(JSON.parse(shownJson(value))).toEqual(JSON.parse(exactJson(value) as string));
    }),
  );
});

it('shows to a person what is not seen', () => {
  const shown = shownJson({ to: 'ada\u202e@evil', a: ['\u0000\n', '\u{e0041}', '\u00a0 x', 'ä 漢 🌍'], empty: {} });
  expect(shown).toBe(
    '{\n  "a": [\n    "\\u0000\\n",\n    "\\udb40\\udc41",\n    "\\u00a0 x",\n    "ä 漢 🌍"\n  ],\n  "empty": {},\n  "to": "ada\\u202e@evil"\n}',
  );
});

it.each([
  ['a selector of a variant', '\ufe0f', '\\ufe0f'],
  ['a selector of a variant beyond 16 bits', '\u{e0100}', '\\udb40\\udd00'],
  ['a filler that is a letter', '\u3164', '\\u3164'],
  ['a filler of half the width', '\uffa0', '\\uffa0'],
  ['a joiner that is a mark', '\u034f', '\\u034f'],
  ['the blank of Braille', '\u2800', '\\u2800'],
])('shows %s to a person', (_name, character, shown) => {
  expect(shownJson(`a${character}b`)).toBe(`"a${shown}b"`);
});

it('shows a deeply nested list without more spaces than values', () => {
  const levels = 120;
  const value: unknown = JSON.parse(`${'['.repeat(levels)}${'1,'.repeat(10_000)}1${']'.repeat(levels)}`);
  const shown = shownJson(value);
  expect(shown.length).toBeLessThan(500_000);
  expect(JSON.parse(shown)).toEqual(value);
});
