/** What grows is seen, what is flat passes. Run with `node --test bench/growth`. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { growthOf, problemsOf } from './slopes.mjs';

const sizes = [100, 1000, 10_000];
const pointsOf = (ratios) => ratios.map((ratio, n) => ({ size: sizes[n], micros: ratio * 80, ratio }));
const result = (ratios, control = 1) => ({
  title: 'rules',
  points: pointsOf(ratios),
  control,
  ...growthOf(pointsOf(ratios)),
});

test('a cost that is proportional to the size has slope 1, one that stays has slope 0', () => {
  const proportional = growthOf(pointsOf([1, 10, 100]));
  equal(proportional.growth, 100);
  ok(Math.abs(proportional.slope - 1) < 1e-9);
  deepEqual(growthOf(pointsOf([1, 1, 1])), { growth: 1, slope: 0 });
});

test('what grows more than 1.2 times fails unless it is listed', () => {
  const [problem] = problemsOf([result([1, 1.1, 1.3])], {});
  match(
    problem,
    /^rules: a call takes 1\.3 times the processor time with 10,000 as with 100; .*bench\/growth\/known\.mjs$/,
  );
  deepEqual(problemsOf([result([1, 1.1, 1.3])], { rules: 'a reason' }), []);
  deepEqual(problemsOf([result([1, 1.1, 1.2])], {}), []);
});

test('a run whose control differs as much proves nothing, whatever grows', () => {
  for (const control of [1.3, 0.7])
    match(problemsOf([result([1, 1, 1], control)], {})[0], /repeat it on a quiet machine/);
});
