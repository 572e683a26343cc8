/**
 * The crash matrix of tasks: a server, a worker and a client as processes, on SQLite and on Redis. A clean run records the
 * boundaries of each process; then one is killed, by SIGKILL of itself, at each of them. `CRASH_AT='before step s3'` runs
 * only the scenarios whose names contain that.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { scaled } from '../../kit/long.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { requires } from '../../kit/requires.ts';
import { hasRedis } from '../../redis/fixtures/redis-server.ts';
import { checkTask } from './history/check.ts';
import { ofType } from './history/events.ts';
import { order } from './history/order.ts';
import { describeViolations, type RuleName } from './history/violations.ts';
import { type Kind, nameOf, type Recorded, sample, scenariosOf, wires } from './matrix.ts';
import { type Forks, startForks } from './rig/forks.ts';
import type { Planted } from './rig/messages.ts';
import { openStores, type StoreKind, type Stores } from './rig/stores.ts';
import { type Outcome, runTask, type Scenario } from './run.ts';

/** Runs at a time: most of a run is waiting for a lease to lapse. */
const lanes = 4;
const timeout = 600_000;
const all = Number.POSITIVE_INFINITY;
const chosen = process.env.CRASH_AT;

let forks: Forks;
beforeAll(async () => {
  forks = startForks(await bundledProgram('task-process', 'tasks'), lanes * 2);
});
afterAll(() => forks?.close());

/** Runs scenarios in lanes, each with a Redis of its own. */
async function runAll<T>(
  kind: StoreKind,
  scenarios: readonly Scenario[],
  judge: (outcome: Outcome, scenario: Scenario) => T,
): Promise<T[]> {
  const left = [...scenarios.entries()];
  const judged: T[] = [];
  const lane = async (): Promise<void> => {
    const stores: Stores = await openStores(kind);
    try {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const [index, scenario] = next;
        judged[index] = judge(await runTask({ forks, stores }, scenario), scenario);
      }
    } finally {
      await stores.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, scenarios.length) }, lane));
  return judged;
}

/** What is wrong with a run, for people; empty if nothing is. The history of a failed run is stored. */
function problemOf(store: StoreKind, { history, trouble }: Outcome, scenario: Scenario): string {
  const isKeyed = scenario.tool !== 'unkeyed';
  const found = trouble + describeViolations(checkTask(history, { ...order, isKeyed }));
  if (found === '') return '';
  const folder = join(root, '.tenon/tasks');
  mkdirSync(folder, { recursive: true });
  const name = `${store}, ${nameOf(scenario)}`;
  const lines = history.map((event) => `${JSON.stringify(event)}\n`).join('');
  writeFileSync(join(folder, `${name.replaceAll(/\W+/g, '-')}.ndjson`), lines);
  return `${name}; its history is in .tenon/tasks:\n${found}\n`;
}

const needs = (context: TestContext, store: StoreKind): void =>
  requires(context, store === 'redis' && !hasRedis ? 'redis-server is not installed' : undefined);

const clean = new Map<StoreKind, Promise<Recorded>>();

/** The boundaries of clean runs, one on each wire. */
async function recordedOn(store: StoreKind): Promise<Recorded> {
  const known = clean.get(store);
  if (known !== undefined) return known;
  const recording = runAll(
    store,
    wires.map((wire) => ({ wire })),
    (outcome, scenario) => {
      expect(problemOf(store, outcome, scenario)).toBe('');
      return [scenario.wire, outcome.boundaries] as const;
    },
  ).then((found) => Object.fromEntries(found) as Recorded);
  clean.set(store, recording);
  return recording;
}

/** How many scenarios of each kind `npm test` runs on each store. */
const counts: readonly (readonly [Kind, StoreKind, number])[] = [
  ['a worker is killed', 'sqlite', 3],
  ['a worker is killed', 'redis', 3],
  ['a worker is paused while another takes its task', 'sqlite', 1],
  ['a worker is paused while another takes its task', 'redis', 1],
  ['the server is killed', 'sqlite', 3],
  ['the server is killed', 'redis', 2],
  ['the client is killed', 'sqlite', 2],
  ['the client is killed', 'redis', 2],
  ['Redis is killed', 'redis', 3],
];

describe('a task of ten steps and two questions', () => {
  it.for(counts)(
    'has each effect and its result once when %s (%s)',
    { timeout },
    async ([kind, store, count], context) => {
      needs(context, store);
      const found = scenariosOf(kind, await recordedOn(store));
      const scenarios =
        chosen === undefined
          ? sample(found, scaled(count, all))
          : found.filter((scenario) => nameOf(scenario).includes(chosen));
      const begun = Date.now();
      const problems = await runAll(store, scenarios, (outcome, scenario) => problemOf(store, outcome, scenario));
      console.log(`${kind} (${store}): ${scenarios.length} runs in ${Date.now() - begun} ms`);
      expect(problems.join('')).toBe('');
    },
  );

  it.each(['before step s5', 'before result'])(
    'refuses what a worker writes %s that was paused, and whose task another has taken',
    async (at) => {
      const scenario: Scenario = { wire: 'extension', fault: { role: 'worker', does: 'pause', at } };
      const [{ history, trouble } = { history: [], trouble: 'no run' }] = await runAll(
        'sqlite',
        [scenario],
        (one) => one,
      );
      expect(trouble).toBe('');
      const refused = ofType(history, 'written').filter(({ isDone, process }) => !isDone && process === 'worker-1');
      expect(refused.map(({ what }) => `before ${what}`)).toContain(at);
    },
  );

  it('has an effect again where a worker is killed after it and the effect has no key', async () => {
    const fault = { role: 'worker', does: 'kill', at: 'after effect s5' } as const;
    const [outcome] = await runAll('sqlite', [{ wire: 'extension', tool: 'unkeyed', fault }], (one) => one);
    if (outcome === undefined) throw new Error('The run has no outcome.');
    expect(problemOf('sqlite', outcome, { wire: 'extension', tool: 'unkeyed', fault })).toBe('');
    const effects = ofType(outcome.history, 'effect').filter(({ isFirst }) => isFirst);
    expect(effects.filter(({ step }) => step === 's5')).toHaveLength(2);
    expect(effects).toHaveLength(order.steps.length + 1);
  });
});

/** Each fault of the store, in which run it shows, and what the checker reports. */
const planted: readonly (readonly [Planted, Scenario['fault'], RuleName])[] = [
  ['no-fencing', { role: 'worker', does: 'pause', at: 'before step s5' }, 'stale-write'],
  ['journal-write-skipped', undefined, 'entry-missing'],
  ['result-written-twice', undefined, 'two-outcomes'],
  ['key-ignored', { role: 'client', does: 'kill', at: 'after receiving tools/call' }, 'two-tasks'],
  ['answer-dropped', undefined, 'question-without-loss'],
  ['journal-read-empty', { role: 'worker', does: 'kill', at: 'after step s5' }, 'run-after-entry'],
];

describe('the checker of the matrix', () => {
  it.each(planted)('finds %s in the history of real processes', async (fault, at, rule) => {
    const scenario: Scenario = { wire: 'extension', planted: fault, ...(at && { fault: at }) };
    const [rules] = await runAll('sqlite', [scenario], ({ history }) =>
      checkTask(history, order).map((one) => one.rule),
    );
    expect(rules).toContain(rule);
  });
});
