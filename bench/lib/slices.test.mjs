/** The harness alternates fairly and counts correctly. Run with `node --test bench/lib`. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { alternate, summarize } from './slices.mjs';
import { quantile } from './statistics.mjs';

/** A subject with fixed slices that records its calls. */
const scripted = (name, log, slices) => ({
  name,
  async slice(ms) {
    log.push(`${name} ${ms}`);
    return slices.shift();
  },
});

test('every subject warms up once, then each round runs all of them, from alternating ends', async () => {
  const log = [];
  const slice = { count: 1, ms: 1, cpuMs: 1 };
  const subjects = ['a', 'b'].map((name) => scripted(name, log, [slice, slice, slice]));
  const slices = await alternate(subjects, { rounds: 2, sliceMs: 5, warmMs: 9 });
  deepEqual(log, ['a 9', 'b 9', 'a 5', 'b 5', 'b 5', 'a 5']);
  deepEqual([slices.get('a').length, slices.get('b').length], [2, 2]);
});

test('rates come from wall time, costs from processor time, ratios from the same round', () => {
  const slices = new Map([
    ['fast', [{ count: 100, ms: 10, cpuMs: 5 }]],
    ['slow', [{ count: 10, ms: 20, cpuMs: 5 }]],
  ]);
  const [fast, slow] = summarize(slices, ['fast']);
  equal(fast.perSecond.median, 10_000);
  equal(slow.perSecond.p90, 500);
  equal(slow.cpuMicros, 500);
  deepEqual(slow.timeOf.fast, { median: 10, low: 10, high: 10 });
  deepEqual(slow.rateOf.fast, { median: 0.05, low: 0.05, high: 0.05 });
});

test('a quantile is interpolated linearly', () => {
  equal(quantile([4, 1, 3, 2], 0.5), 2.5);
  equal(quantile([1, 2, 3, 4, 5], 0.9), 4.6);
  equal(quantile([7], 0.9), 7);
});
