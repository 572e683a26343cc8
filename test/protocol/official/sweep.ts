/** One wrong at every place of a value in turn, so that no field is left to chance. */
import type { Vocabulary } from './arbitrary.ts';
import { type Change, mutated, type Place, placesOf } from './mutation.ts';

const changes: readonly Change[] = [
  { is: 'drop' },
  { is: 'nudge' },
  ...[null, -1, 2, 'x', [], {}, Array(101).fill('x')].map((value): Change => ({ is: 'put', value })),
];

/** How often the same change is made at the same kind of place: the values around it differ. */
const repeats = 2;

export type Sweep = (value: unknown) => unknown[];

/** Remembers what it has done, so that many values cost little more than the places in which they differ. */
export function createSweep({ keys, words }: Vocabulary): Sweep {
  const counts = new Map<string, number>();
  const names = new Set<unknown>([...keys, ...words]);

  /** Places with the same signature stand under the same names, in records of the same type, and hold alike values. */
  function signature(value: unknown, place: Place): string {
    let here = value;
    const steps = place.map((step) => {
      const type = (here as { type?: unknown }).type;
      here = (here as Record<string, unknown>)[step];
      return `${names.has(type) ? type : ''}/${names.has(step) ? step : '*'}`;
    });
    return `${steps.join('')} ${Array.isArray(here) ? 'array' : typeof here}`;
  }

  return (value) =>
    placesOf(value, []).flatMap((place) => {
      const name = signature(value, place);
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      return count < repeats ? changes.map((change) => mutated(value, place, change)) : [];
    });
}
