import { describe, expect, it } from 'vitest';
import { chooseModel } from './models.ts';

const models = [
  { name: 'acme-small-2', cheapness: 0.9, speed: 0.9, intelligence: 0.2 },
  { name: 'acme-large-2', cheapness: 0.2, speed: 0.4, intelligence: 0.9 },
  { name: 'Zeta-Large', cheapness: 0.1, speed: 0.2, intelligence: 1 },
];
const hints = (...names: string[]) => ({ hints: names.map((name) => ({ name })) });

describe('The model for a request to sample', () => {
  it.each([
    ['the first hint that fits', hints('nobody', 'zeta', 'acme-small'), 'Zeta-Large'],
    ['part of a name, however it is written', hints('SMALL'), 'acme-small-2'],
    ['a hint before any priority', { ...hints('acme-small'), intelligencePriority: 1 }, 'acme-small-2'],
    ['the priorities among several that one hint names', { ...hints('large'), intelligencePriority: 1 }, 'Zeta-Large'],
    ['the priorities where no hint fits', { ...hints('nobody'), speedPriority: 1 }, 'acme-small-2'],
    ['the priorities alone', { intelligencePriority: 1, costPriority: 0.1 }, 'Zeta-Large'],
    ['nothing', {}, 'acme-small-2'],
    ['hints without a name', { hints: [{}, { name: '' }] }, 'acme-small-2'],
  ])(
    'is chosen by %s [s-sampling-34, s-sampling-35, s-sampling-36, s-sampling-37, e-schema-41]',
    (_by, preferences, expected) => {
      expect(chooseModel(models, preferences)?.name).toBe(expected);
    },
  );

  it('is none where there are none', () => {
    expect(chooseModel([], hints('a'))).toBeUndefined();
  });
});
