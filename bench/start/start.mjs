/**
 * Cold start: from the spawn of the smallest server to the answer of its first call, bundled with dynamic imports in
 * their own files, bundled into one file, and not bundled.
 */
import { table, threeFigures } from '../lib/report.mjs';
import { alternate, summarize } from '../lib/slices.mjs';
import { median } from '../lib/statistics.mjs';
import { firstCall } from '../minimal/first-call.mjs';
import { pathOf, programs, writeBundle } from '../minimal/programs.mjs';

/** A slice is one start, however long it takes. */
const pace = { rounds: 21, sliceMs: 0, warmMs: 0 };
const yardstick = 'bare server';
const control = 'bare server again (control)';

export async function measure(print) {
  const results = [];
  for (const [title, locate] of Object.entries(ways)) {
    const rows = await compare(locate);
    results.push({ title, pace, rows });
    print(`### Cold start, ${title}`);
    print(show(rows));
  }
  return results;
}

const ways = {
  'bundled, split': async (file) => (await writeBundle(file, { splitting: true })).path,
  'bundled into one file': async (file) => (await writeBundle(file)).path,
  'not bundled': async (file) => pathOf(file),
};

async function compare(locate) {
  const subjects = [];
  for (const [name, file] of Object.entries({ ...programs, [control]: programs[yardstick] })) {
    const path = await locate(file);
    subjects.push({ name, slice: () => firstCall(name, path) });
  }
  const slices = await alternate(subjects, pace);
  return summarize(slices, [yardstick]).map((row) => ({
    ...row,
    ms: median(slices.get(row.name).map(({ ms }) => ms)),
  }));
}

/** The rate is one divided by the start time, so the share of the yardstick's rate is the inverse of the ratio of times. */
function show(rows) {
  return table(
    ['program', 'ms', 'times bare', 'quartiles', 'CPU ms', 'CPU, times bare'],
    rows.map(({ name, ms, cpuMicros, timeOf, rateOf }) => {
      const { median: rate, low, high } = rateOf[yardstick];
      const times = (number) => threeFigures(1 / number);
      return [
        name,
        threeFigures(ms),
        times(rate),
        `${times(high)} to ${times(low)}`,
        threeFigures(cpuMicros / 1000),
        threeFigures(timeOf[yardstick].median),
      ];
    }),
  );
}
