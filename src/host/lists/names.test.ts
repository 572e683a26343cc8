/** Names in a host: allowed by model APIs, unique for each origin, and parsed back. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCatalogue } from './catalogue.ts';
import { addressedBy, addressOf, hasDigest, nameOf, originOf } from './names.ts';

const allowed = /^[a-zA-Z0-9_-]{1,64}$/;

/** Ordinary names, and names that imitate others. */
const tricky = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '_', '-', 'x', '2'), minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
  fc.string({ unit: fc.constantFrom('a', '_'), minLength: 28, maxLength: 70 }),
  fc.string({ unit: fc.constantFrom('a', '2'), minLength: 16, maxLength: 16 }).map((end) => `a_x${end}`),
);
const origin = fc.record({ server: tricky, originalName: tricky });

describe('names in a host', () => {
  it('have the characters and the length that model APIs allow, for any name on a server', async () => {
    await fc.assert(
      fc.asyncProperty(origin, async (one) => {
        expect(await nameOf(one)).toMatch(allowed);
      }),
      { seed: 7, numRuns: 3000 },
    );
  });

  it('are never the same for two origins [S30]', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(origin, { selector: (one) => JSON.stringify(one), minLength: 2 }),
        async (all) => {
          const names = await Promise.all(all.map(nameOf));
          expect(new Set(names).size).toBe(all.length);
        },
      ),
      { seed: 7, numRuns: 1000 },
    );
  });

  it('give their origin: by themselves, or by the list if they have a digest', async () => {
    await fc.assert(
      fc.asyncProperty(origin, async (one) => {
        const catalogue = createCatalogue<{ name: string }>();
        const [named] = await catalogue.admit(one.server, [{ name: one.originalName }]);
        const name = named?.name ?? '';
        expect(catalogue.origin(name)).toMatchObject(one);
        expect(originOf(name)).toEqual(hasDigest(name) ? undefined : one);
      }),
      { seed: 7, numRuns: 2000 },
    );
  });

  it.each([
    ['files', 'read_file', /^files__read_file$/],
    ['my_files', '_read', /^my_files___read$/],
    ['files', 'läs fil', /^files__l_s_fil_x[a-z2-7]{16}$/],
    ['a__b', 'c', /^a__b__c_x[a-z2-7]{16}$/],
    ['files', `${'a'.repeat(300)}`, /^files__a{39}_x[a-z2-7]{16}$/],
    ['files', '', /^files___x[a-z2-7]{16}$/],
    ['files', 'read_xaaaaaaaaaaaaaaaa', /^files__read_xa{16}_x[a-z2-7]{16}$/],
  ])('%s and %s give %s', async (server, own, expected) => {
    expect(await nameOf({ server, originalName: own })).toMatch(expected);
  });

  it.each(['', 'files', '__files', 'files_x', 'a_xaaaaaaaaaaaaaaaa'])('%j has no origin', (name) => {
    expect(originOf(name)).toBeUndefined();
  });
});

it('host URIs give their origin, for any URI and any server name', () => {
  const server = fc.string({ unit: 'grapheme', minLength: 1 });
  fc.assert(
    fc.property(server, fc.string({ unit: 'binary' }), (name, own) => {
      expect(addressedBy(addressOf({ server: name, originalName: own }))).toEqual({ server: name, originalName: own });
    }),
    { seed: 7, numRuns: 2000 },
  );
  expect([addressedBy('none'), addressedBy('/x'), addressedBy('%E0/x')]).toEqual([undefined, undefined, undefined]);
});
