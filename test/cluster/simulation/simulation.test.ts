/** Runs a simulated cluster from many seeds: no run breaks a rule of the history checker, unless a fault is planted. */
import { describe, expect, it } from 'vitest';
import { scaled } from '../../kit/long.ts';
import { repeatCommand } from '../../kit/repeat-command.ts';
import { reportOf } from '../history/excerpt.ts';
import type { Violation } from '../history/violations.ts';
import { noFaults } from './faults.ts';
import { plantedFaults } from './planted-faults.ts';
import { runSeed, type SimulatedRun } from './run.ts';
import { harshRates } from './schedule.ts';

/** How to run a seed again, and what is wrong with it. */
const report = (seed: number, { history, violations }: SimulatedRun): string =>
  violations.length === 0 ? '' : `${repeatCommand('TENON_SEED', seed)}\n${reportOf(history, violations)}`;

/** With `TENON_SEED`, this one alone, and its whole history is printed. */
const given = process.env.TENON_SEED;

/** In `npm run test:long` other seeds each time, for two minutes. */
const [first, count, limitMs] = [
  Number(given ?? scaled(1, Math.floor(Math.random() * 2 ** 31))),
  given === undefined ? scaled(80, Number.POSITIVE_INFINITY) : 1,
  scaled(Number.POSITIVE_INFINITY, 120_000),
];

describe('a simulated cluster', { timeout: 300_000 }, () => {
  it('keeps every rule from every seed [S20, S31]', async () => {
    const began = performance.now();
    let seed = first;
    for (; seed < first + count && performance.now() - began < limitMs; seed++) {
      const run = await runSeed(seed);
      if (given !== undefined) console.log(run.text);
      expect(report(seed, run)).toBe('');
    }
    if (first !== 1) console.log(`simulated seeds ${first} to ${seed - 1}`);
  });

  it('has a result for every request if nothing fails [S20]', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const run = await runSeed(seed, { rates: noFaults, isCalm: true });
      expect(report(seed, run)).toBe('');
      expect(run.history.filter((event) => event.type === 'error' && event.code !== 'cancelled')).toEqual([]);
    }
  });

  it('repeats a seed exactly', async () => {
    for (const seed of [1, 2, 3]) expect((await runSeed(seed)).text).toBe((await runSeed(seed)).text);
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
