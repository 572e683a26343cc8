import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { compilePattern } from './patterns.ts';

const compile = (pattern: string): ((text: string) => boolean) => compilePattern(pattern, '/pattern');

describe('a pattern', () => {
  // biome-ignore format: a table
  const patterns = [
    '^\\s+$', '^\\S+$', '^[\\s\\S]$', '^[^\\s]$', '^.$', 'a.b', '^[.]$', '^\\d+$', '^\\w+$', '\\bab\\b', '^[[]$', '^[\\b]$', '^[^]$',
    '[]', '^\\u{1F600}$', '^\\ud83d\\ude00$', '^\\x41\\u0042\\cJ?$', '^\\0$', '^\\p{L}+$', '^\\p{Letter}+$', '^\\P{Lu}$',
    '^\\p{Script=Greek}$', '^(?<year>\\d{4})-\\d{2}$', '(?:a|b){2,3}', 'a$', '^a', 'a*?b', '^\\/$', '^[a-z\\d_-]+$', '^\\^\\$$', '\\t|\\v',
  ];
  const text = fc.string({
    unit: fc.constantFrom(...'abAB1_- .^$/[\n\r\t\v\b\0', '\u00a0', '\u2028', '\ufeff', '😀', 'é', 'α', '2024'),
    maxLength: 5,
  });

  it.each(patterns)('%s matches what ECMA-262 says it matches', (pattern) => {
    const [ours, native] = [compile(pattern), new RegExp(pattern, 'u')];
    const same = fc.property(text, (text) => {
      expect(ours(text)).toBe(native.test(text));
    });
    fc.assert(same, { seed: 7, numRuns: 300 });
  });

  it('may escape more than the u flag allows', () => {
    expect(compile('^[\\w-\\.]+\\@\\-$')('a.b@-')).toBe(true);
  });

  it.each([
    ['lookahead', '(?=a)'],
    ['negative lookahead', '^(?!a)'],
    ['lookbehind', '(?<=a)b'],
    ['negative lookbehind', '(?<!a)b'],
    ['a backreference', '(a)\\1'],
    ['a named backreference', '(?<n>a)\\k<n>'],
    ['bad syntax', '('],
    ['a huge repetition', '(a{1000}){1000}'],
    ['too many characters', 'a'.repeat(1001)],
    ['an escape that only RE2 knows', '\\Aa'],
    ['a flag group', '(?i)a'],
  ])('with %s is refused', (_, pattern) => {
    let thrown: unknown;
    try {
      compile(pattern);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(TenonError);
    expect(thrown).toMatchObject({
      code: 'invalid-schema',
      details: { pointer: '/pattern' },
      hint: expect.any(String),
    });
  });

  it('that looks like lookaround inside a class is not', () => {
    expect(compile('^[(?=]+$')('(?=')).toBe(true);
  });
});

describe('the work of a pattern', () => {
  it('is charged by the length of the text and the size of its program [S24]', () => {
    const stepsOf = (pattern: string): number => compilePattern(pattern, '/pattern').stepsPerChar;
    expect(stepsOf('^a+$')).toBe(1);
    expect(stepsOf('([a-z]{1,30}){30}')).toBeGreaterThan(100);
  });
});
