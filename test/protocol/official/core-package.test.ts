/** Our checkers accept and refuse the same messages as the official package `core`, except for the listed differences. */
import { describe, expect, it } from 'vitest';
import { revisions } from '../../../src/protocol/revisions/revisions.ts';
import { scaled } from '../../kit/long.ts';
import { comparisonsOf } from './comparison.ts';
import { coreDifferences } from './core-differences.ts';
import { coreReference } from './core-package.ts';

const repetitions = { runs: scaled(1000, 8000), swept: scaled(8, 150) };

/** The package has the messages of these. */
const described = revisions.slice(-2);

const comparisons = new Map(
  described.map((revision, index) => [revision.id, comparisonsOf(coreReference(revision, index === 0), repetitions)]),
);

describe('the official package core', () => {
  describe.each([...comparisons])('for %s', (_, each) => {
    it.each(each)('accepts and refuses the same values as our checkers: $name', ({ findings }) => {
      const { unexplained, accepted, refused } = findings();
      expect(unexplained).toBeUndefined();
      expect(accepted).toBeGreaterThan(0);
      expect(refused).toBeGreaterThan(0);
    });
  });

  it.each(coreDifferences)(
    'differs from our checkers in the listed revisions: $name',
    ({ name, revisions: listed }) => {
      const showing = [...comparisons].filter(([, each]) => each.some(({ findings }) => findings().shown.has(name)));
      expect(showing.map(([id]) => id)).toEqual(listed);
    },
  );
});
