/** A text is found where `String.indexOf` finds it, also one for which that takes the product of both. */
import { assert, constantFrom, nat, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexOf } from './index-of.ts';

/** Few letters, so that parts repeat. */
const texts = (maxLength: number) => string({ unit: constantFrom('a', 'b'), maxLength });

describe('indexOf()', () => {
  it('finds what String.indexOf finds', () => {
    assert(
      property(texts(200), texts(3), nat(20), nat(20), (text, end, from, repeats) => {
        const sought = `${'ab'.repeat(16 + repeats)}${end}`;
        const whole = `${text}${sought.slice(1)}${text}${sought}${text}`;
        expect(indexOf(whole, sought, from)).toBe(whole.indexOf(sought, from));
        expect(indexOf(text, sought, from)).toBe(text.indexOf(sought, from));
      }),
    );
  });

  it('takes no product of the lengths', () => {
    const half = 'a'.repeat(500_000);
    expect(indexOf(`${half}${half}${half}`, `${half}b${half}`, 0)).toBe(-1);
    expect(indexOf(`${half}${half}b${half}`, `${half}b${half}`, 0)).toBe(500_000);
  });
});
