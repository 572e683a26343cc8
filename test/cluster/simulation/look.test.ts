/** Look. */
import { it } from 'vitest';
import { excerptOf } from '../history/excerpt.ts';
import { describeViolations } from '../history/violations.ts';
import { plantedFaults } from './planted-faults.ts';
import { runSeed } from './run.ts';

it('look', async () => {
  for (const seed of (process.env.SEEDS ?? '1').split(',').map(Number)) {
    const { violations, history, text } = await runSeed(
      seed,
      process.env.PLANTED ? { planted: plantedFaults.find(({ name }) => name === process.env.PLANTED)!.create() } : {},
    );
    const lines = text.split('\n');
    const at = (e: any) => lines[history.indexOf(e)]?.slice(0, 200);
    for (const v of violations
      .filter((v) => !process.env.RULE || process.env.RULE.split(',').includes(v.rule))
      .slice(0, 2)) {
      console.log([`SEED ${seed}`, describeViolations([v]), ...excerptOf(history, v).map(at)].join('\n'));
    }
  }
});
