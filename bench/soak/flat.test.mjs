/** A figure that grows is found, one that settles or falls is not. Run with `node --test bench/soak`. */
import { deepEqual, match } from 'node:assert/strict';
import { test } from 'node:test';
import { endsOf, problemsOf } from './flat.mjs';

const samples = (heapOf, more = () => ({})) =>
  Array.from({ length: 20 }, (_, n) => ({ heap: heapOf(n), handles: 10, store: 50e6, ...more(n) }));

test('a heap that grows until it has settled is flat', () => {
  deepEqual(problemsOf(samples((n) => 40e6 + Math.min(n, 5) * 10e6)), []);
});

test('a heap that grows on is not', () => {
  const [problem] = problemsOf(samples((n) => 40e6 + n * 1e6));
  match(problem, /^heap grew from [\d,]+ to [\d,]+ under a steady load$/);
});

test('handles and the store are judged too, and what falls is flat', () => {
  const found = problemsOf(
    samples(
      (n) => 90e6 - n * 1e6,
      (n) => ({ handles: 10 + n, store: 50e6 + n * 1e6 }),
    ),
  );
  match(found.join('; '), /^handles grew .*; store grew /);
});

test('one high sample changes nothing', () => {
  deepEqual(problemsOf(samples((n) => (n === 19 ? 400e6 : 40e6))), []);
});

test('a short run has ends, too', () => {
  deepEqual(endsOf([1, 2, 3]), { early: 1, late: 3 });
});
