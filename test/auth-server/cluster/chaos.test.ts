/** Two nodes as processes that kill themselves at random boundaries, on three stores. `CHAOS_SEED=7` runs one seed again. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { isLong } from '../../kit/long.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { repeatCommand } from '../../kit/repeat-command.ts';
import { enginesHere, type StartedEngine } from '../../kit/stores/engines.ts';
import { describeViolations } from './history.ts';
import { runChaos } from './run.ts';

const chosen = process.env.CHAOS_SEED;

/** How long each store is tested in `npm run test:long`, which begins with a new seed. */
const longMs = 180_000;

let program: string;
beforeAll(async () => {
  program = await bundledProgram('auth-node', 'auth-server');
});

describe.each(enginesHere)('Two nodes on %s that are killed at random boundaries', (label, engine) => {
  let started: StartedEngine;
  beforeAll(async () => {
    started = await engine.start();
  });
  afterAll(() => started.close());

  /** What is wrong with a run, for people; empty if nothing is. */
  async function problemsOf(seed: number, kills: number): Promise<string> {
    const outcome = await runChaos({ program, address: started.next(), seed, kills });
    const { history, violations, keys } = outcome;
    const count = (type: string): number => history.filter((event) => event.type === type).length;
    console.log(
      `${label}, seed ${seed}: ${outcome.kills} kills, ${count('exchanged')} codes, ${count('refreshed')} refreshes, ${keys.size} keys`,
    );
    if (violations.length === 0) return '';
    const folder = join(root, '.tenon/auth-server');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${label}-${seed}.ndjson`), history.map((event) => JSON.stringify(event)).join('\n'));
    const again = repeatCommand('CHAOS_SEED', seed, `on ${label} that are killed`);
    return `${again}\nThe history is in .tenon/auth-server:\n${describeViolations(violations, history)}`;
  }

  const isSeries = isLong && chosen === undefined;

  /** Seeds and kills one after the other: one run, or as many as time allows. */
  async function problemsOfAll(): Promise<string> {
    if (!isSeries) return problemsOf(Number(chosen ?? 7), 4);
    const until = Date.now() + longMs;
    let problems = '';
    for (let seed = until % 1_000_000_000; problems === '' && Date.now() < until; seed++)
      problems = await problemsOf(seed, 30);
    return problems;
  }

  it('use no code and no refresh token twice, and lose no grant', { timeout: longMs + 600_000 }, async () => {
    expect(await problemsOfAll()).toBe('');
  });
});
