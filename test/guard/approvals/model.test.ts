/** No call runs without an approval, and none twice, whatever happens: in memory. */
import * as fc from 'fast-check';
import { createMemoryStore } from 'tenon/store';
import { expect, it } from 'vitest';
import { scaled } from '../../kit/long.ts';
import { checkSteps, steps } from './model.ts';

it('no call runs without an approval, none twice, and every approval lets its call run', {
  timeout: 600_000,
}, async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      let moment = 1_800_000_000_000;
      const clock = { now: () => moment, advance: (ms: number) => void (moment += ms) };
      const { approvals } = createMemoryStore({ now: clock.now });
      runs += (await checkSteps(all, [approvals, approvals], clock)).runs;
    }),
    { numRuns: scaled(40, 2000) },
  );
  expect(runs).toBeGreaterThan(20);
});
