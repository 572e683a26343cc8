/** No call runs without an approval, and none twice, whatever happens: on stores that nodes share. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scaled } from '../../kit/long.ts';
import { enginesHere, type StartedEngine } from '../../kit/stores/engines.ts';
import { openAt } from '../../kit/stores/open-at.ts';
import { checkSteps, steps } from './model.ts';

describe.each(enginesHere)('on %s', (_label, engine) => {
  let started: StartedEngine;
  beforeAll(async () => {
    started = await engine.start();
  }, 120_000);
  afterAll(() => started.close());

  it('no call runs without an approval, none twice, and every approval lets its call run', {
    timeout: 600_000,
  }, async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        // Ahead of the time of a server whose rows expire there by themselves.
        let moment = Date.now() + 3_600_000;
        const clock = { now: () => moment, advance: (ms: number) => void (moment += ms) };
        const place = started.next();
        const [one, other] = [await openAt(place, { now: clock.now }), await openAt(place, { now: clock.now })];
        try {
          runs += (await checkSteps(all, [one.approvals, other.approvals], clock)).runs;
        } finally {
          await Promise.all([one.close(), other.close()]);
        }
      }),
      { numRuns: scaled(12, 150) },
    );
    expect(runs).toBeGreaterThan(4);
  });
});
