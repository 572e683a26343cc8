/** Our checkers accept and refuse the same messages as the official schemas, except for the listed differences. */
import { describe, expect, it } from 'vitest';
import { revisions } from '../../../src/protocol/revisions/revisions.ts';
import { scaled } from '../../kit/long.ts';
import { type Comparison, comparisonsOf } from './comparison.ts';
import { differences } from './differences.ts';
import { absence } from './specification.ts';
import { officialReference } from './subjects.ts';

/** Random values for each revision, divided evenly among its messages. The sweep adds to them. */
const runs = scaled(3000, 8000);

const comparisons: ReadonlyMap<string, Comparison[]> = new Map(
  absence === undefined
    ? revisions.map((revision) => [revision.id, comparisonsOf(officialReference(revision), { runs, swept: 150 })])
    : [],
);

describe.each([...comparisons])('the official schemas of %s', (_, each) => {
  it.each(each)('accept and refuse the same values as our checkers: $name', ({ findings }) => {
    const { unexplained, accepted, refused } = findings();
    expect(unexplained).toBeUndefined();
    expect(accepted).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  });

  it('are compared on thousands of messages, at least a quarter of them valid and a quarter invalid', () => {
    const count = (kind: 'accepted' | 'refused'): number =>
      each.reduce((sum, { findings }) => sum + findings()[kind], 0);
    const [accepted, refused] = [count('accepted'), count('refused')];
    expect(accepted + refused).toBeGreaterThan(10_000);
    expect(Math.min(accepted, refused)).toBeGreaterThan((accepted + refused) / 4);
  });
});

it.each(absence === undefined ? differences : [])(
  'the official schemas differ from our checkers in the listed revisions: $name',
  ({ name, revisions: listed }) => {
    const showing = [...comparisons].filter(([, each]) => each.some(({ findings }) => findings().shown.has(name)));
    expect(showing.map(([id]) => id)).toEqual(listed);
  },
);

describe('content of a kind that no revision lists', () => {
  const block = { type: 'hologram', beams: [1, 2], annotations: 'none' };
  const result = { resultType: 'complete', content: [block] };

  it.each(revisions)('is valid in $id and arrives unchanged [S08]', (revision) => {
    const read = revision.wire.readResult(revision, 'client', 'tools/call', result);
    expect(read).toMatchObject({ ok: true, value: { resultType: 'complete', result: { content: [block] } } });
  });

  it.each(revisions)('is not valid in $id without a type', (revision) => {
    const untyped = { ...result, content: [{ beams: [1, 2] }] };
    expect(revision.client.requests.get('tools/call')?.result(untyped)).toBe(false);
  });
});
