/** Known secrets in texts: all are found in one pass, and nothing else is. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Placeholders } from './placeholders.ts';
import { SoughtSecrets } from './sought-secrets.ts';

const shown = (secret: string): string => `<${secret.length}>`;

function seeking(...secrets: string[]): (text: string) => string {
  const sought = new SoughtSecrets();
  for (const secret of secrets) sought.add(secret);
  return (text) => sought.replace(text, shown);
}

describe('known secrets', () => {
  it('are found at the beginning, in the middle, at the end, side by side and repeated', () => {
    const replace = seeking('correct-horse', 'battery-staple');
    expect(replace('correct-horse')).toBe('<13>');
    expect(replace('a correct-horse b')).toBe('a <13> b');
    expect(replace('correct-horsebattery-staple correct-horse.')).toBe('<13><14> <13>.');
    expect(replace('correct-hors battery')).toBe('correct-hors battery');
  });

  it('are replaced by the longest that stands there', () => {
    const replace = seeking('12345678', '12345678-abcd', '12345678-ab');
    expect(replace('12345678-abcd 12345678-abc 12345678')).toBe('<13> <11>c <8>');
  });

  it('are not found if they are short, for harmless texts have them too', () => {
    expect(seeking('secret')('no secret')).toBe('no secret');
  });

  it('are all found, however many there are', () => {
    const placeholders = new Placeholders();
    const secrets = Array.from({ length: 5000 }, (_, n) => `planted-${n}-${'x'.repeat(n % 7)}`);
    for (const secret of secrets) placeholders.of(secret);
    expect(secrets.filter((secret) => placeholders.without(`a ${secret}, b`).includes('planted'))).toEqual([]);
  });

  it('are all found in any text around them', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', 'ø', '😀', '-'), maxLength: 12 });
    const secret = fc.string({ unit: fc.constantFrom('a', 'b', '😀', '1'), minLength: 8, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 6 }), part, part, (secrets, before, after) => {
        const replace = seeking(...secrets);
        for (const one of secrets) expect(replace(`${before}|${one}|${after}`)).toContain(`|<${one.length}>|`);
      }),
    );
  });
});
