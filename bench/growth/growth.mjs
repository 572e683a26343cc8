/** How the processor time of a call grows with tools, sessions, rules, principals, stored tasks and nodes. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot } from '../../scripts/command.mjs';
import { onDriverCore } from '../lib/pinning.mjs';
import { table, threeFigures } from '../lib/report.mjs';
import { alternate, summarize } from '../lib/slices.mjs';
import { axes } from './axes.mjs';
import { known } from './known.mjs';
import { plot, themeNames } from './plot.mjs';
import { growthOf, maxGrowth, problemsOf } from './slopes.mjs';

/** Only the axes whose titles contain this text. */
const only = process.env.BENCH_ONLY ?? '';

export const measure = (print, { short }) =>
  onDriverCore(async () => {
    const results = [];
    const folder = mkdtempSync(join(tmpdir(), 'bench-growth-'));
    try {
      for (const axis of axes.filter(({ title }) => title.includes(only))) {
        results.push(await measureAxis(axis, short, folder));
        console.error(shown(results.at(-1)).join(', '));
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    print('### Processor time of a call against sizes');
    print(show(results));
    // A part of the axes is no picture for the documentation, and a short run none for anything.
    const isWhole = !short && only === '';
    print(`Drawn in ${draw(results, inRoot(isWhole ? 'docs/images' : 'bench/results')).join(' and ')}.`);
    return { results, problems: short ? [] : problemsOf(results, known) };
  });

/** All sizes in turns, the smallest twice: the second is the control. */
async function measureAxis(axis, short, folder) {
  const sizes = short ? axis.shortSizes : axis.sizes;
  const control = 'control';
  const present = sizes.map((size) => ({ name: String(size), size }));
  present.splice(1, 0, { name: control, size: sizes[0] });
  const opened = [];
  const pace = short ? axis.shortPace : axis.pace;
  try {
    for (const { name, size } of present) {
      opened.push(await axis.open(name, size, folder));
      await opened.at(-1).slice(pace.warmMs);
    }
    const [smallest] = sizes.map(String);
    const rows = new Map(summarize(await alternate(opened, pace), [smallest]).map((row) => [row.name, row]));
    const ratio = (name) => rows.get(name).timeOf[smallest].median;
    const points = sizes.map((size) => ({
      size,
      micros: rows.get(String(size)).cpuMicros,
      ratio: ratio(String(size)),
    }));
    const { title, group, series } = axis;
    return { title, group, series, points, control: ratio(control), ...growthOf(points) };
  } finally {
    for (const { close } of opened) await close();
  }
}

const show = (results) =>
  table(
    ['against', 'sizes', 'µs at each', 'control', 'growth', 'slope', 'why it may grow'],
    results.map((result) => [...shown(result), known[result.title] ?? '']),
  );

const shown = ({ title, points, control, growth, slope }) => [
  title,
  points.map(({ size }) => size.toLocaleString('en-US')).join('; '),
  points.map(({ micros }) => threeFigures(micros)).join('; '),
  threeFigures(control),
  `${threeFigures(growth)}${growth > maxGrowth ? ' (!)' : ''}`,
  slope.toFixed(2),
];

/** Returns the files, whose names are those that the documentation has. */
function draw(results, folder) {
  mkdirSync(folder, { recursive: true });
  return themeNames.map((theme) => {
    const file = join(folder, `growth-${theme}.svg`);
    writeFileSync(file, plot(results, theme));
    return file;
  });
}
