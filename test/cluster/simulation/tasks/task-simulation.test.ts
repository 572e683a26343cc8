/** Runs a simulated cluster with tasks from many seeds, on memory, SQLite and PostgreSQL: no run breaks a rule, unless a fault is planted. */
import { afterAll, describe, expect, it, type TestContext } from 'vitest';
import { scaled } from '../../../kit/long.ts';
import { repeatCommand } from '../../../kit/repeat-command.ts';
import { requires } from '../../../kit/requires.ts';
import { engines } from '../../../kit/stores/engines.ts';
import { ofType } from '../../history/events.ts';
import { reportOf } from '../../history/excerpt.ts';
import type { Violation } from '../../history/violations.ts';
import { type ClusterStoreName, closeClusterStores } from '../cluster-stores.ts';
import { noFaults } from '../faults.ts';
import type { SimulatedRun } from '../run.ts';
import { plantedTaskFaults } from './planted-task-faults.ts';
import { runTaskSeed } from './run-tasks.ts';
import { harshTaskRates } from './task-schedule.ts';
import type { TaskTool } from './task-server.ts';

/** How to run a seed again, and what is wrong with it. */
const report = (seed: number, { history, violations }: SimulatedRun): string =>
  violations.length === 0 ? '' : `${repeatCommand('TENON_SEED', seed)}\n${reportOf(history, violations)}`;

/** With `TENON_SEED`, this one alone, and its whole history is printed. */
const given = process.env.TENON_SEED;

/** In `npm run test:long` other seeds each time, for half a minute each. */
const first = Number(given ?? scaled(1, Math.floor(Math.random() * 2 ** 31)));
const limitMs = scaled(Number.POSITIVE_INFINITY, 30_000);
const stores: readonly (readonly [ClusterStoreName, number])[] = [
  ['memory', 8],
  ['sqlite', 4],
  ['postgres', 2],
];
const needs = (context: TestContext, store: ClusterStoreName): void =>
  requires(context, store === 'memory' ? undefined : engines[store].missing);
afterAll(closeClusterStores);

/** What the checker finds in a harsh run without a planted fault: nothing. */
const harsh = new Map<string, readonly Violation[]>();
async function withoutFault(seed: number, tool: TaskTool | undefined): Promise<readonly Violation[]> {
  const run = `${seed} ${tool}`;
  const known = harsh.get(run) ?? (await runTaskSeed(seed, 'memory', { rates: harshTaskRates, tool })).violations;
  harsh.set(run, known);
  return known;
}

describe('a simulated cluster with tasks', { timeout: 300_000 }, () => {
  it.for(stores)('keeps every rule from every seed, on %s [S18, S31]', async ([store, seeds], context) => {
    needs(context, store);
    const count = given === undefined ? scaled(seeds, Number.POSITIVE_INFINITY) : 1;
    const began = performance.now();
    let seed = first;
    for (; seed < first + count && performance.now() - began < limitMs; seed++) {
      const run = await runTaskSeed(seed, store);
      if (given !== undefined) console.log(run.text);
      expect(report(seed, run)).toBe('');
    }
    if (first !== 1) console.log(`simulated tasks on ${store}, seeds ${first} to ${seed - 1}`);
  });

  it.for(stores)('repeats a seed exactly, on %s', async ([store], context) => {
    needs(context, store);
    expect((await runTaskSeed(1, store)).text).toBe((await runTaskSeed(1, store)).text);
  });

  it.for(stores)(
    'completes every task that is not cancelled if nothing fails, on %s [S18]',
    async ([store], context) => {
      needs(context, store);
      for (let seed = 1; seed <= 3; seed++) {
        const run = await runTaskSeed(seed, store, { rates: noFaults, isCalm: true });
        expect(report(seed, run)).toBe('');
        expect(ofType(run.history, 'task-stored').filter(({ state }) => state === 'failed')).toEqual([]);
      }
    },
  );

  it.each(plantedTaskFaults)('finds that $name [S31]', async ({ create, rules, tool }) => {
    const isExpected = ({ rule }: Violation): boolean => rules.includes(rule);
    for (let seed = 1; seed <= 100; seed++) {
      const { violations } = await runTaskSeed(seed, 'memory', { planted: create(), rates: harshTaskRates, tool });
      if (!violations.some(isExpected)) continue;
      if (!(await withoutFault(seed, tool)).some(isExpected)) return;
    }
    expect.fail('No seed breaks a rule');
  });
});
