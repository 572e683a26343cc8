/** Our checkers agree with the official package `core`, except for the listed differences: in both directions for the last revision with sessions, and for the newest in what ours accept. */
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
    it.each(each)('agrees with our checkers: $name', ({ findings }) => {
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
      expect(listed).toEqual(expect.arrayContaining(showing.map(([id]) => id)));
      // A few runs do not show each of them alone.
      expect(showing.length).toBeGreaterThanOrEqual(scaled(0, listed.length));
    },
  );
});
