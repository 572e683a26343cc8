/** Our checkers accept and refuse the same messages as the official schemas, except for the listed differences. */
import { describe, expect, it } from 'vitest';
import { revisions } from '../../../src/protocol/revisions/revisions.ts';
import { scaled } from '../../kit/long.ts';
import { type Comparison, comparisonsOf } from './comparison.ts';
import { differences } from './differences.ts';
import { absence, note } from './specification.ts';

/** Random values for each revision, shared out evenly between its messages. The sweep comes on top of them. */
const runs = scaled(3000, 8000);

const comparisons: ReadonlyMap<string, Comparison[]> = new Map(
  absence === undefined ? revisions.map((revision) => [revision.id, comparisonsOf(revision, runs)]) : [],
);

describe.skipIf(absence !== undefined)(`the official schemas${note}`, () => {
  describe.each([...comparisons])('of %s', (_, each) => {
    it.each(each)('is ours on $name', ({ findings }) => {
      const { unexplained, accepted, refused } = findings();
      expect(unexplained).toBeUndefined();
      expect(accepted).toBeGreaterThan(0);
      expect(refused).toBeGreaterThan(0);
    });

    it('is sought on thousands of messages, a quarter of them good and a quarter bad at least', () => {
      const count = (kind: 'accepted' | 'refused'): number =>
        each.reduce((sum, { findings }) => sum + findings()[kind], 0);
      const [accepted, refused] = [count('accepted'), count('refused')];
      expect(accepted + refused).toBeGreaterThan(10_000);
      expect(Math.min(accepted, refused)).toBeGreaterThan((accepted + refused) / 4);
    });
  });

  it.each(differences)('is departed from where the list says so: $name', ({ name, revisions: listed }) => {
    const showing = [...comparisons].filter(([, each]) => each.some(({ findings }) => findings().shown.has(name)));
    expect(showing.map(([id]) => id)).toEqual(listed);
  });
});

describe('content of a kind that no revision lists', () => {
  const block = { type: 'hologram', beams: [1, 2], annotations: 'none' };
  const result = { resultType: 'complete', content: [block] };

  it.each(revisions)('passes $id and arrives as it was sent [S08]', (revision) => {
    const read = revision.wire.readResult(revision, 'client', 'tools/call', result);
    expect(read).toMatchObject({ ok: true, value: { resultType: 'complete', result: { content: [block] } } });
  });

  it.each(revisions)('needs a type to pass $id', (revision) => {
    const untyped = { ...result, content: [{ beams: [1, 2] }] };
    expect(revision.client.requests.get('tools/call')?.result(untyped)).toBe(false);
  });
});
