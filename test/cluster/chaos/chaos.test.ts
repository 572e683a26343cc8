/** Chaos with real processes: three nodes behind a balancer, from a seed. `CHAOS_SEED=7` runs one seed again. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { isLong } from '../../kit/long.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { repeatCommand } from '../../kit/repeat-command.ts';
import { requires } from '../../kit/requires.ts';
import { type EngineName, engineNames, engines } from '../../kit/stores/engines.ts';
import { ofType } from '../history/events.ts';
import { describeViolations } from '../history/violations.ts';
import { type RunOptions, type RunOutcome, runChaos } from './run.ts';

const chosen = process.env.CHAOS_SEED;
/** How long each store is tested in `npm run test:long`, which begins with a new seed. */
const longMs = 45_000;

let program: string;
beforeAll(async () => {
  program = await bundledProgram('chaos-node', 'chaos');
});

/** What is wrong with the history of a run, for people; empty if nothing is. The history of a failed run is stored. */
function problemsOf(
  { recorder, violations, trouble }: RunOutcome,
  { seed, store }: Omit<RunOptions, 'program'>,
): string {
  if (violations.length === 0) return '';
  const folder = join(root, '.tenon/chaos');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${store}-${seed}.ndjson`), recorder.text());
  writeFileSync(join(folder, `${store}-${seed}.log`), trouble);
  const again = repeatCommand('CHAOS_SEED', seed, `on ${store} give each request`);
  return `${again}\nThe history is in .tenon/chaos:\n${describeViolations(violations)}`;
}

async function problemsIn(options: Omit<RunOptions, 'program'>): Promise<string> {
  return problemsOf(await runChaos({ program, ...options }), options);
}

const needs = (context: TestContext, store: EngineName): void => requires(context, engines[store].missing);

const isSeries = isLong && chosen === undefined;

describe('three nodes', () => {
  it.for(isLong ? engineNames : [])(
    'on %s serve every call, stream and listener without faults [S31]',
    async (store, context) => {
      needs(context, store);
      const options = { seed: 1, store, operations: 4, hasFaults: false };
      const outcome = await runChaos({ program, ...options });
      expect(problemsOf(outcome, options)).toBe('');
      const codes = ofType(outcome.recorder.history, 'error').map(({ code }) => code);
      expect(codes.filter((code) => code !== 'cancelled')).toEqual([]);
    },
  );

  it.for(isSeries ? [] : engineNames)(
    'on %s give each request one outcome and each key one effect while nodes and the store fail [S20, S31, S33]',
    async (store, context) => {
      needs(context, store);
      expect(await problemsIn({ seed: Number(chosen ?? 4), store, operations: 8 })).toBe('');
    },
  );

  it.for(isSeries ? engineNames : [])(
    'on %s do so for as many seeds as time allows [S20, S31, S33]',
    { timeout: longMs + 120_000 },
    async (store, context) => {
      needs(context, store);
      const until = Date.now() + longMs;
      for (let seed = until % 1_000_000_000; Date.now() < until; seed++) {
        console.log(`chaos on ${store}: seed ${seed}`);
        expect(await problemsIn({ seed, store, operations: 8 })).toBe('');
      }
    },
  );
});
