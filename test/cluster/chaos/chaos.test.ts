/** Chaos with real processes: three nodes behind a balancer, from a seed. `CHAOS_SEED=7` runs one seed again. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../architecture/source-tree.ts';
import { bundledProgram } from '../../kit/process/bundled-program.ts';
import { requires } from '../../kit/requires.ts';
import { hasRedis } from '../../redis/fixtures/redis-server.ts';
import { ofType } from '../history/events.ts';
import { describeViolations } from '../history/violations.ts';
import { type RunOptions, type RunOutcome, runChaos } from './run.ts';
import type { StoreKind } from './schedule.ts';

const isLong = process.env.TENON_LONG !== undefined;
const chosen = process.env.CHAOS_SEED;
/** How long each store is tested in `npm run test:long`, which begins with a new seed. */
const longMs = 150_000;

let program: string;
beforeAll(async () => {
  program = await bundledProgram('chaos-node', 'chaos');
});

async function expectValid(options: Omit<RunOptions, 'program'>): Promise<RunOutcome> {
  const outcome = await runChaos({ program, ...options });
  const { recorder, violations, trouble } = outcome;
  if (violations.length === 0) return outcome;
  const folder = join(root, '.tenon/chaos');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${options.store}-${options.seed}.ndjson`);
  writeFileSync(file, recorder.text());
  writeFileSync(`${file}.log`, trouble);
  const again = `CHAOS_SEED=${options.seed} npx vitest run test/cluster/chaos`;
  return expect.fail(
    `Seed ${options.seed} on ${options.store} (${again}), history in ${file}:\n${describeViolations(violations)}`,
  );
}

describe.each(['redis', 'sqlite'] as const)('three nodes on %s', (store: StoreKind) => {
  it('serve every call, stream and listener without faults [S31]', async (context) => {
    requires(context, store === 'redis' && !hasRedis ? 'redis-server is not installed' : undefined);
    const { recorder } = await expectValid({ seed: 1, store, operations: 4, hasFaults: false });
    const codes = ofType(recorder.history, 'error').map(({ code }) => code);
    expect(codes.filter((code) => code !== 'cancelled')).toEqual([]);
  });

  it(
    'keep every promise while nodes and the store fail [S20, S31, S33]',
    async (context) => {
      requires(context, store === 'redis' && !hasRedis ? 'redis-server is not installed' : undefined);
      if (!isLong || chosen !== undefined) {
        await expectValid({ seed: Number(chosen ?? 4), store, operations: 8 });
        return;
      }
      const until = Date.now() + longMs;
      for (let seed = until % 1_000_000_000; Date.now() < until; seed++) {
        console.log(`chaos on ${store}: seed ${seed}`);
        await expectValid({ seed, store, operations: 20 });
      }
    },
    longMs + 120_000,
  );
});
