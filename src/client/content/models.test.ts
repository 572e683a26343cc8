/** The choice of a model for a sampling request. */
import { describe, expect, it } from 'vitest';
import { chooseModel } from './models.ts';

const models = [
  { name: 'acme-small-2', cheapness: 0.9, speed: 0.9, intelligence: 0.2 },
  { name: 'acme-large-2', cheapness: 0.2, speed: 0.4, intelligence: 0.9 },
  { name: 'Zeta-Large', cheapness: 0.1, speed: 0.2, intelligence: 1 },
];
const hints = (...names: string[]) => ({ hints: names.map((name) => ({ name })) });

describe('chooseModel', () => {
  it.each([
    ['the first hint that matches', hints('unknown', 'zeta', 'acme-small'), 'Zeta-Large'],
    ['a part of the name, in any case', hints('SMALL'), 'acme-small-2'],
    ['a hint before any priority', { ...hints('acme-small'), intelligencePriority: 1 }, 'acme-small-2'],
    ['the priorities among several that one hint names', { ...hints('large'), intelligencePriority: 1 }, 'Zeta-Large'],
    ['the priorities if no hint matches', { ...hints('unknown'), speedPriority: 1 }, 'acme-small-2'],
    ['the priorities alone', { intelligencePriority: 1, costPriority: 0.1 }, 'Zeta-Large'],
    ['the order of the models', {}, 'acme-small-2'],
    ['hints without a name', { hints: [{}, { name: '' }] }, 'acme-small-2'],
  ])(
    'chooses by %s [s-sampling-34, s-sampling-35, s-sampling-36, s-sampling-37, e-schema-41]',
    (_by, preferences, expected) => {
      expect(chooseModel(models, preferences)?.name).toBe(expected);
    },
  );

  it('returns undefined for an empty list', () => {
    expect(chooseModel([], hints('a'))).toBeUndefined();
  });
});
