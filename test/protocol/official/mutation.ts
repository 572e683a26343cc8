/** Small errors in a value, as a careless or hostile peer would send it. */
import * as fc from 'fast-check';
import type { Vocabulary } from './arbitrary.ts';

export type Place = readonly (string | number)[];
export type Change =
  | { readonly is: 'drop' | 'nudge' | 'wrap' | 'unwrap' }
  | { readonly is: 'put'; readonly value: unknown }
  | { readonly is: 'add'; readonly key: string; readonly value: unknown };

export interface Mutation {
  /** The index of the place in the value, modulo the number of places. */
  readonly place: number;
  readonly change: Change;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** None, or up to three mutations. */
export const mutations = (vocabulary: Vocabulary): fc.Arbitrary<Mutation[]> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant<Mutation[]>([]) },
    { weight: 2, arbitrary: fc.array(mutation(vocabulary), { minLength: 1, maxLength: 3 }) },
  );

function mutation(vocabulary: Vocabulary): fc.Arbitrary<Mutation> {
  const oddValues = [null, true, 0, -1, 0.5, 1, 2, 1e300, 2 ** 53, '', 'x', 'x'.repeat(5000), [], {}, [null], [{}]];
  const junk = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<unknown>(...oddValues) },
    { weight: 1, arbitrary: fc.constantFrom(...vocabulary.words) },
  );
  const key = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...vocabulary.keys) },
    { weight: 1, arbitrary: fc.string({ maxLength: 3 }) },
  );
  const change: fc.Arbitrary<Change> = fc.oneof(
    { weight: 3, arbitrary: fc.constant<Change>({ is: 'nudge' }) },
    { weight: 3, arbitrary: fc.constantFrom<Change>({ is: 'drop' }, { is: 'wrap' }, { is: 'unwrap' }) },
    { weight: 4, arbitrary: junk.map((value): Change => ({ is: 'put', value })) },
    { weight: 2, arbitrary: fc.tuple(key, junk).map(([name, value]): Change => ({ is: 'add', key: name, value })) },
  );
  return fc.record({ place: fc.oneof(fc.nat(12), fc.nat(500)), change });
}

/** The value after all mutations; `undefined` if the whole value is dropped. */
export const mutate = (value: unknown, changes: readonly Mutation[]): unknown =>
  changes.reduce((sofar, { place, change }) => {
    const all = placesOf(sofar, []);
    return mutated(sofar, all[place % all.length] ?? [], change);
  }, value);

/** The value with one change at one place. Only the objects on the path to it are copied. */
export function mutated(value: unknown, [step, ...rest]: Place, change: Change): unknown {
  if (step === undefined) return changed(value, change);
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  if (change.is !== 'drop' || rest.length > 0) copy[step] = mutated(copy[step], rest, change);
  else if (Array.isArray(copy)) copy.splice(Number(step), 1);
  else delete copy[step];
  return copy;
}

function changed(value: unknown, change: Change): unknown {
  switch (change.is) {
    case 'drop':
      return undefined;
    case 'nudge':
      return nudged(value);
    case 'wrap':
      return [value];
    case 'unwrap':
      return typeof value === 'object' && value !== null ? (Object.values(value)[0] ?? null) : null;
    case 'put':
      return change.value;
    case 'add':
      return isRecord(value) ? { ...value, [change.key]: change.value } : change.value;
  }
}

/** A nearly valid value: an integer gets a fraction, a string a typo, an array becomes an object and an object an array. */
function nudged(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value + 0.5 : Math.ceil(value);
  if (typeof value === 'string') return `${value}!`;
  if (typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? {} : [];
}

/** The path to every part of a value, beginning with the whole. */
export function placesOf(value: unknown, here: Place): Place[] {
  if (typeof value !== 'object' || value === null) return [here];
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [here, ...inner.flatMap(([key, part]) => placesOf(part, [...here, key]))];
}
