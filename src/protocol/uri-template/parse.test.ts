import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { maxTemplateChars, maxTemplateVariables, parseUriTemplate } from './parse.ts';

/** What parsing throws, or undefined. */
function thrownBy(text: string): unknown {
  try {
    parseUriTemplate(text);
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('reading a template', () => {
  it('gives literals as they expand, and expressions with their place, operator and variables', () => {
    expect(parseUriTemplate("x://é%41'/{a}{?b.c:3,d%20*}")).toEqual({
      text: "x://é%41'/{a}{?b.c:3,d%20*}",
      parts: [
        "x://%C3%A9%41'/",
        { at: 10, operator: '', variables: [{ name: 'a', modifier: '' }] },
        {
          at: 13,
          operator: '?',
          variables: [
            { name: 'b.c', modifier: 3 },
            { name: 'd%20', modifier: '*' },
          ],
        },
      ],
      names: ['a', 'b.c', 'd%20'],
    });
  });

  it('names a variable once, however often it stands', () => {
    expect(parseUriTemplate('{a}/{b}/{a}').names).toEqual(['a', 'b']);
  });

  it('takes the empty template, which has no parts', () => {
    expect(parseUriTemplate('')).toEqual({ text: '', parts: [], names: [] });
  });
});

describe('a malformed template', () => {
  it.each([
    ['an open brace that never closes', 'a{b', 1],
    ['a brace that closes nothing', 'a}b', 1],
    ['a brace within an expression', '{a{b}', 1],
    ['an empty expression', 'x{}', 2],
    ['an operator alone', 'x{?}', 3],
    ['a list that ends in a comma', '{a,}', 3],
    ['an operator kept for later', '{=a}', 1],
    ['another operator kept for later', '{|a}', 1],
    ['an unknown operator', '{$a}', 1],
    ['a space in a name', '{a, b}', 3],
    ['a hyphen in a name', '{a-b}', 1],
    ['a dot at the end of a name', '{a.}', 1],
    ['two dots in a name', '{a..b}', 1],
    ['half a triplet in a name', '{a%4}', 1],
    ['a prefix of zero', '{a:0}', 1],
    ['a prefix of five digits', '{a:10000}', 1],
    ['a prefix without a number', '{a:}', 1],
    ['two modifiers', '{b,a:3*}', 3],
    ['a stray percent sign', 'a%2', 1],
    ['a space in literal text', 'a b', 1],
    ['a quote in literal text', 'ab"', 2],
    ['a control character', 'ab\u0000', 2],
    ['a lone surrogate', 'ab\ud800', 2],
  ])('is refused with its offset: %s', (_, text, position) => {
    expect(thrownBy(text)).toMatchObject({ code: 'invalid-definition', details: { position } });
    expect(thrownBy(text)).toHaveProperty('hint', expect.any(String));
  });

  it('is refused when it is longer than the limit, and its text is cut in the message', () => {
    const fits = 'a'.repeat(maxTemplateChars);
    expect(thrownBy(fits)).toBeUndefined();
    const error = thrownBy(`${fits}a`) as TenonError;
    expect(error.code).toBe('invalid-definition');
    expect(error.message.length).toBeLessThan(400);
  });

  it('is refused when it has more variables than the limit, in one expression or in many', () => {
    const names = Array.from({ length: maxTemplateVariables }, (_, index) => `v${index}`);
    expect(thrownBy(`{${names.join(',')}}`)).toBeUndefined();
    expect(thrownBy(`{${names.join(',')}}{w}`)).toMatchObject({ code: 'invalid-definition' });
    expect(thrownBy(`{${names.join('}{')}}{w}`)).toMatchObject({ code: 'invalid-definition' });
  });

  it('never fails in another way, whatever the text', () => {
    const pieces = fc.constantFrom('{', '}', ',', '?', '+', ':', '*', 'a', '3', '%', '4', '.', 'é', ' ', '\ud800');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const error = thrownBy(parts.join(''));
        expect(error === undefined || (error instanceof TenonError && error.code === 'invalid-definition')).toBe(true);
      }),
      { seed: 7, numRuns: 2000 },
    );
  });
});
