/** The simulation. */
import { expect, it } from 'vitest';
import { describeViolations } from '../history/violations.ts';
import { runSeed } from './run.ts';

it('one', async () => {
  const began = process.hrtime.bigint();
  for (let seed = 1; seed <= Number(process.env.N ?? 1); seed++) {
    const { violations, text } = await runSeed(Number(process.env.SEED ?? seed));
    if (process.env.SHOW) console.log(text);
    if (violations.length > 0) console.log(seed, describeViolations(violations));
  }
  console.log(Number(process.hrtime.bigint() - began) / 1e6);
});
