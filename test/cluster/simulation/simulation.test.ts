/** The simulation. */
import { it } from 'vitest';
import { runSeed } from './run.ts';

it('one', async () => {
  const cpu = process.cpuUsage();
  const began = process.hrtime.bigint();
  const counts: Record<string, number[]> = {};
  const codes: Record<string, number> = {};
  for (let seed = 1; seed <= Number(process.env.N ?? 1); seed++) {
    const { violations, history } = await runSeed(Number(process.env.SEED ?? seed));
    for (const rule of new Set(violations.map(({ rule }) => rule))) (counts[rule] ??= []).push(seed);
    for (const e of history) if (e.type === 'error') codes[e.code] = (codes[e.code] ?? 0) + 1;
  }
  for (const [k, v] of Object.entries(counts)) console.log(k, v.length, v.slice(0, 10).join(' '));
  console.log(process.cpuUsage(cpu), codes, Number(process.hrtime.bigint() - began) / 1e6);
});

it('replays', async () => {
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const one = (await runSeed(seed)).text.split('\n');
    const two = (await runSeed(seed)).text.split('\n');
    const at = one.findIndex((line, index) => line !== two[index]);
    console.log(
      seed,
      one.length,
      two.length,
      at,
      at >= 0 ? [...one.slice(at - 2, at + 2), '---', ...two.slice(at, at + 2)] : '',
    );
  }
});
