/** Shares are the inverse of processor time beside the yardstick. Run with `node --test bench/lib`. */
import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { sharesOf } from './shares.mjs';
import { summarize } from './slices.mjs';

const slice = (cpuMs) => [{ count: 100, ms: 10, cpuMs }];

test('a layer that takes twice the time has half the speed, beside the control of the yardstick', () => {
  const slices = new Map([
    ['plain', slice(4)],
    ['plain, again (control)', slice(5)],
    ['with a key', slice(8)],
    ['bare', slice(1)],
  ]);
  const subjects = [{ name: 'plain' }, { name: 'with a key', row: 'key' }, { name: 'bare' }];
  deepEqual(sharesOf(summarize(slices, ['plain']), subjects, 'plain'), [{ row: 'key', share: 0.5, control: 0.8 }]);
});
