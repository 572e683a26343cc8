import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { IdTable } from './id-table.ts';

const id = fc.oneof(
  fc.nat({ max: 300 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom('', '0', '7', '__proto__', 'constructor', 0, -0, -1, Number.MAX_SAFE_INTEGER),
  fc.string({ maxLength: 3 }),
);
const step = fc.oneof(
  fc.record({ do: fc.constant('set' as const), id, value: fc.nat() }),
  fc.record({ do: fc.constant('delete' as const), id }),
  fc.record({ do: fc.constant('get' as const), id }),
  fc.record({ do: fc.constant('clear' as const), id: fc.constant(0) }),
);

type Held = Pick<Map<string | number, number>, 'set' | 'delete' | 'clear'> | IdTable<number>;

/** Does one step, and says what deleting said. */
function apply(held: Held, one: { do: string; id: string | number; value?: number }): boolean | undefined {
  if (one.do === 'delete') return held.delete(one.id);
  if (one.do === 'set') held.set(one.id, one.value ?? 0);
  if (one.do === 'clear') held.clear();
  return undefined;
}

it('a table of ids answers as a Map does, for any sequence of operations', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const table = new IdTable<number>();
      const map = new Map<string | number, number>();
      for (const one of steps) {
        const [ours, theirs] = [table, map].map((held) => apply(held, one));
        expect(ours).toBe(theirs);
        expect([table.get(one.id), table.has(one.id), table.size]).toEqual([
          map.get(one.id),
          map.has(one.id),
          map.size,
        ]);
      }
      expect(new Set(table.ids())).toEqual(new Set(map.keys()));
    }),
    { seed: 7, numRuns: 300 },
  );
});

it('holds ten thousand ids at once, and an old one beside all that come later', () => {
  const table = new IdTable<string>();
  table.set(1, 'the first');
  for (let n = 2; n <= 10_000; n++) table.set(n, String(n));
  for (let n = 2; n <= 10_000; n++) expect(table.get(n)).toBe(String(n));
  for (let n = 2; n <= 10_000; n++) table.delete(n);
  expect([table.get(1), table.size]).toEqual(['the first', 1]);
});
