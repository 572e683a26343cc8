/** Many. */
import { it } from 'vitest';
import { runSeed } from './run.ts';

it('one', async () => {
  const cpu = process.cpuUsage();
  const counts: Record<string, number[]> = {};
  const codes: Record<string, number> = {};
  for (let seed = 1; seed <= Number(process.env.N ?? 1); seed++) {
    const { violations, history } = await runSeed(seed);
    for (const rule of new Set(violations.map(({ rule }) => rule))) (counts[rule] ??= []).push(seed);
    for (const e of history) if (e.type === 'error') codes[e.code] = (codes[e.code] ?? 0) + 1;
  }
  for (const [k, v] of Object.entries(counts)) console.log(k, v.length, v.slice(0, 16).join(' '));
  console.log(process.cpuUsage(cpu), codes);
});
