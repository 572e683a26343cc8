/**
 * The crash matrix of tasks: a server, a worker and a client as processes, on SQLite, on Redis and on PostgreSQL. A clean run records the
 * boundaries of each process; then one is killed, by SIGKILL of itself, at each of them. `CRASH_AT='before step s3'` runs
 * only the scenarios whose names contain that. On two cores, `npm run test:long` takes about five minutes for all of them.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { scaled } from '../../kit/long.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { requires } from '../../kit/requires.ts';
import { type EngineName, engineNames, engines } from '../../kit/stores/engines.ts';
import { checkTask } from './history/check.ts';
import { ofType } from './history/events.ts';
import { order } from './history/order.ts';
import { describeViolations, type RuleName } from './history/violations.ts';
import { type Lanes, openLanes, type Planned } from './lanes.ts';
import { clientOf, type Kind, nameOf, type Recorded, sample, scenariosOf, wires } from './matrix.ts';
import type { ClientKind, Planted } from './rig/messages.ts';
import type { Outcome } from './run.ts';

/** Runs at a time: most of a run is waiting for a lease to lapse. */
const lanes = 4;
const timeout = scaled(600_000, 3_600_000);
const all = Number.POSITIVE_INFINITY;
const chosen = process.env.CRASH_AT;

let matrix: Lanes;
beforeAll(async () => {
  matrix = openLanes(await bundledProgram('task-process', 'crashes'), lanes);
});
afterAll(() => matrix?.close());

/** What is wrong with a run, for people; empty if nothing is. The history of a failed run is stored. */
function problemOf(store: EngineName, { history, trouble }: Outcome, scenario: Planned): string {
  const isKeyed = scenario.tool !== 'unkeyed';
  const found = trouble + describeViolations(checkTask(history, { ...order, isKeyed }));
  if (found === '') return '';
  const folder = join(root, '.tenon/crashes');
  mkdirSync(folder, { recursive: true });
  const name = `${store}, ${nameOf(scenario)}`;
  const lines = history.map((event) => `${JSON.stringify(event)}\n`).join('');
  writeFileSync(join(folder, `${name.replaceAll(/\W+/g, '-')}.ndjson`), lines);
  return `${name}; its history is in .tenon/crashes:\n${found}\n`;
}

const needs = (context: TestContext, store: EngineName): void => requires(context, engines[store].missing);

const clean = new Map<string, Promise<Recorded>>();

/** The boundaries of clean runs, one on each wire. */
function recordedOn(store: EngineName, client: ClientKind): Promise<Recorded> {
  const name = `${store} ${client}`;
  const recording = clean.get(name) ?? record(store, client);
  clean.set(name, recording);
  return recording;
}

async function record(store: EngineName, client: ClientKind): Promise<Recorded> {
  const recorded = wires.map(async (wire) => {
    const outcome = await matrix.run(store, { wire, client });
    expect(problemOf(store, outcome, { wire, client })).toBe('');
    return [wire, outcome.boundaries] as const;
  });
  return Object.fromEntries(await Promise.all(recorded)) as Recorded;
}

/** How many scenarios of each kind `npm run test:system` runs on each store. A file cannot be killed. */
const counts: Readonly<Record<Kind, Readonly<Record<EngineName, number>>>> = {
  'a worker is killed': { sqlite: 3, redis: 3, postgres: 3 },
  'a worker is paused while another takes its task': { sqlite: 1, redis: 1, postgres: 1 },
  'the server is killed': { sqlite: 3, redis: 2, postgres: 2 },
  'the client is killed': { sqlite: 1, redis: 1, postgres: 1 },
  "Tenon's client is killed": { sqlite: 2, redis: 1, postgres: 1 },
  'the store is killed': { sqlite: 0, redis: 3, postgres: 3 },
};
const cases = (Object.keys(counts) as Kind[])
  .flatMap((kind) => engineNames.map((store) => [kind, store, counts[kind][store]] as const))
  .filter(([, , count]) => count > 0);

// The time includes that of the runs before it, which have the lanes.
describe.concurrent('a task of ten steps and two questions', { timeout }, () => {
  it.for(cases)(
    'has each effect and its result once when %s (%s) [s-tasks-28, ext-tasks-14, ext-tasks-16]',
    async ([kind, store, count], context) => {
      needs(context, store);
      const found = scenariosOf(kind, await recordedOn(store, clientOf(kind)));
      const scenarios =
        chosen === undefined
          ? sample(found, scaled(count, all))
          : found.filter((scenario) => nameOf(scenario).includes(chosen));
      const problems = scenarios.map(async (scenario) => problemOf(store, await matrix.run(store, scenario), scenario));
      expect((await Promise.all(problems)).join('')).toBe('');
    },
  );

  it.each(['before step s5', 'before result'])(
    'refuses what a worker writes %s that was paused, and whose task another has taken',
    async (at) => {
      const fault = { role: 'worker', does: 'pause', at } as const;
      const { history, trouble } = await matrix.run('sqlite', { wire: 'extension', fault });
      expect(trouble).toBe('');
      const refused = ofType(history, 'written').filter(({ isDone, process }) => !isDone && process === 'worker-1');
      expect(refused.map(({ what }) => `before ${what}`)).toContain(at);
    },
  );

  it('has an effect again where a worker is killed after it and the effect has no key', async () => {
    const fault = { role: 'worker', does: 'kill', at: 'after effect s5' } as const;
    const scenario: Planned = { wire: 'extension', tool: 'unkeyed', fault };
    const outcome = await matrix.run('sqlite', scenario);
    expect(problemOf('sqlite', outcome, scenario)).toBe('');
    const effects = ofType(outcome.history, 'effect').filter(({ step, isFirst }) => step === 's5' && isFirst);
    expect(effects.length).toBeGreaterThan(1);
    expect(effects.length).toBe(ofType(outcome.history, 'run').filter(({ step }) => step === 's5').length);
  });
});

/** Each fault of the store, in which run it shows, and what the checker reports. */
const planted: readonly (readonly [Planted, Planned['fault'], RuleName])[] = [
  ['no-fencing', { role: 'worker', does: 'pause', at: 'before step s5' }, 'stale-write'],
  ['journal-write-skipped', undefined, 'entry-missing'],
  ['result-written-twice', undefined, 'two-outcomes'],
  ['key-ignored', { role: 'client', does: 'kill', at: 'after receiving tools/call' }, 'two-tasks'],
  ['answer-dropped', undefined, 'question-without-loss'],
  ['journal-read-empty', { role: 'worker', does: 'kill', at: 'after step s5' }, 'run-after-entry'],
];

describe.concurrent('the checker of the matrix', { timeout }, () => {
  it.each(planted)('finds %s in the history of real processes', async (fault, at, rule) => {
    const { history } = await matrix.run('sqlite', { wire: 'extension', planted: fault, ...(at && { fault: at }) });
    expect(checkTask(history, order).map((found) => found.rule)).toContain(rule);
  });
});
