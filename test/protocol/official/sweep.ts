/** Makes one change at every place of a value in turn, so that every field is tested. */
import { scaled } from '../../kit/long.ts';
import type { Vocabulary } from './arbitrary.ts';
import { type Change, mutated, type Place, placesOf } from './mutation.ts';

const changes: readonly Change[] = [
  { is: 'drop' },
  { is: 'nudge' },
  ...[null, -1, 2, 'x', [], {}, Array(101).fill('x')].map((value): Change => ({ is: 'put', value })),
];

/** How often the same change is made at places of the same signature; the values around them differ. */
const repeats = scaled(1, 2);

export type Sweep = (value: unknown) => unknown[];

/** Counts the changes it has made, so that many values cost little more than the places in which they differ. */
export function createSweep({ keys, words }: Vocabulary): Sweep {
  const counts = new Map<string, number>();
  const names = new Set<unknown>([...keys, ...words]);

  /** Places with the same signature have the same path of names, records of the same type, and values of the same type. */
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
