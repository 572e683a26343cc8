/** A long result, and a text to find in it, that almost match everywhere: what is sought in it takes time linear in both. */
import { assert, constantFrom, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findText } from '../../../src/agents/results/find-text.ts';
import { placesOf } from '../../../src/agents/results/text-places.ts';

const long = 'a'.repeat(1_000_000);

describe('read_more in a result of a million equal letters', () => {
  it.each([
    ['the last letter of what is sought', `${'a'.repeat(99_999)}b`],
    ['one in the middle', `${'a'.repeat(50_000)}b${'a'.repeat(49_999)}`],
    ['the first', `b${'a'.repeat(99_999)}`],
  ])('that lack only %s answers at once [S24, S36]', (_what, wanted) => {
    expect(findText(long, wanted, 0, 1000).total).toBe(0);
    expect(findText(`${long}${wanted}`, wanted, 0, 1000)).toMatchObject({ total: 1, shown: 1 });
  });
});

it('finds the same places as a comparison at every character, in upper and lower case', () => {
  const letters = string({ unit: constantFrom('a', 'A', 'b', 'Σ', 'ς', 'İ', '𐐀', '.'), maxLength: 40 });
  const wanted = string({ unit: constantFrom('a', 'A', 'b', 'σ', 'i', '𐐨', '.'), minLength: 1, maxLength: 4 });
  assert(
    property(letters, wanted, (text, sought) => {
      const lower = (one: string): string => one.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ');
      const found: number[] = [];
      for (let at = 0; at < text.length; at++)
        if (at >= (found.at(-1) ?? -sought.length) + sought.length && lower(text).startsWith(lower(sought), at))
          found.push(at);
      expect([...placesOf(text, sought, 0)]).toEqual(found);
    }),
    { seed: 7, numRuns: 500 },
  );
});
