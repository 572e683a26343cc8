/** Runs a simulated cluster from many seeds: no run breaks a rule of the history checker, unless a fault is planted. */
import { afterAll, describe, expect, it, type TestContext } from 'vitest';
import { scaled } from '../../kit/long.ts';
import { repeatCommand } from '../../kit/repeat-command.ts';
import { requires } from '../../kit/requires.ts';
import { engines } from '../../kit/stores/engines.ts';
import { reportOf } from '../history/excerpt.ts';
import type { Violation } from '../history/violations.ts';
import { type ClusterStoreName, closeClusterStores } from './cluster-stores.ts';
import { noFaults } from './faults.ts';
import { plantedFaults } from './planted-faults.ts';
import { runSeed, type SimulatedRun } from './run.ts';
import { harshRates } from './schedule.ts';

/** How to run a seed again, and what is wrong with it. */
const report = (seed: number, { history, violations }: SimulatedRun): string =>
  violations.length === 0 ? '' : `${repeatCommand('TENON_SEED', seed)}\n${reportOf(history, violations)}`;

/** With `TENON_SEED`, this one alone, and its whole history is printed. */
const given = process.env.TENON_SEED;

/** In `npm run test:long` other seeds each time, for a minute on memory and half of one on each of the others. */
const first = Number(given ?? scaled(1, Math.floor(Math.random() * 2 ** 31)));
const stores: readonly (readonly [ClusterStoreName, number, number])[] = [
  ['memory', 80, 60_000],
  ['sqlite', 8, 30_000],
  ['postgres', 4, 30_000],
];
const needs = (context: TestContext, store: ClusterStoreName): void =>
  requires(context, store === 'memory' ? undefined : engines[store].missing);
afterAll(closeClusterStores);

describe('a simulated cluster', { timeout: 300_000 }, () => {
  it.for(stores)('keeps every rule from every seed, on %s [S20, S31]', async ([store, seeds, longMs], context) => {
    needs(context, store);
    const count = given === undefined ? scaled(seeds, Number.POSITIVE_INFINITY) : 1;
    const limitMs = scaled(Number.POSITIVE_INFINITY, longMs);
    const began = performance.now();
    let seed = first;
    for (; seed < first + count && performance.now() - began < limitMs; seed++) {
      const run = await runSeed(seed, { store });
      if (given !== undefined) console.log(run.text);
      expect(report(seed, run)).toBe('');
    }
    if (first !== 1) console.log(`simulated on ${store}, seeds ${first} to ${seed - 1}`);
  });

  it('has a result for every request if nothing fails [S20]', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const run = await runSeed(seed, { rates: noFaults, isCalm: true });
      expect(report(seed, run)).toBe('');
      expect(run.history.filter((event) => event.type === 'error' && event.code !== 'cancelled')).toEqual([]);
    }
  });

  it.for(stores)('repeats a seed exactly, on %s', async ([store], context) => {
    needs(context, store);
    const textOf = async (seed: number) => (await runSeed(seed, { store })).text;
    for (const seed of [1, 2, 3]) expect(await textOf(seed)).toBe(await textOf(seed));
  });

  it.each(plantedFaults)('finds that $name [S31]', async ({ create, rules, deadNodeMs }) => {
    const isExpected = ({ rule }: Violation): boolean => rules.includes(rule);
    for (let seed = 1; seed <= 100; seed++) {
      const { violations } = await runSeed(seed, { planted: create(), rates: harshRates, deadNodeMs });
      if (!violations.some(isExpected)) continue;
      const { violations: without } = await runSeed(seed, { rates: harshRates, deadNodeMs });
      if (!without.some(isExpected)) return;
    }
    expect.fail('No seed breaks a rule');
  });
});
