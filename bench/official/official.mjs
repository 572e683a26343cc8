/** What the bridge for servers of the official SDK costs: processor time of both sides, one call at a time, subjects in turns. */
import { table, threeFigures } from '../lib/report.mjs';
import { subjects } from './subjects.mjs';

const sliceMs = 400;
const rounds = 9;

export async function measure(print) {
  const opened = [];
  for (const [name, open] of Object.entries(subjects)) opened.push({ name, ...(await open()), slices: [] });
  for (let round = -1; round < rounds; round += 1) {
    for (const { call, slices } of opened) {
      const us = await microsecondsOf(call);
      // The first round warms up.
      if (round >= 0) slices.push(us);
    }
  }
  for (const { close } of opened) await close();
  const results = opened.map(({ name, slices }) => ({ name, us: median(slices), least: Math.min(...slices) }));
  print('### Servers of the official SDK behind the bridge');
  print(
    table(
      ['', 'processor time of a call, µs', 'least of a slice'],
      results.map(({ name, us, least }) => [name, threeFigures(us), threeFigures(least)]),
    ),
  );
  return results;
}

async function microsecondsOf(call) {
  const before = process.cpuUsage();
  const until = performance.now() + sliceMs;
  let calls = 0;
  while (performance.now() < until) {
    await call();
    calls += 1;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
