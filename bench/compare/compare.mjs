/** Compares this checkout with another commit in alternating slices, each with its own library: what does a change cost? */
import { inRoot } from '../../scripts/command.mjs';
import { onDriverCore } from '../lib/pinning.mjs';
import { percent, table, threeFigures } from '../lib/report.mjs';
import { alternate, summarize } from '../lib/slices.mjs';
import { median } from '../lib/statistics.mjs';
import { openCheckout } from './checkout.mjs';
import { kinds } from './kinds.mjs';

/** Only the loads whose titles contain this text. */
const only = process.env.BENCH_ONLY ?? '';

/** Each round starts new processes, to include the differences between processes. `short` only shows that everything works. */
const paces = {
  full: { rounds: 10, sliceMs: 100, warmMs: 600 },
  short: { rounds: 2, sliceMs: 50, warmMs: 150 },
};

const before = 'other';
const control = 'other again (control)';
const after = 'this checkout';

export async function measure(print, { word, short }) {
  const { name, root } = await openCheckout(word ?? process.env.BENCH_OTHER);
  const rounds = Number(process.env.BENCH_ROUNDS ?? (short ? 1 : 5));
  const subjects = [
    { name: before, root },
    { name: control, root },
    { name: after, root: inRoot('') },
  ];
  return onDriverCore(async () => {
    const results = [];
    for (const { title, open } of kinds().filter((kind) => kind.title.includes(only))) {
      const rows = [];
      for (let round = 0; round < rounds; round += 1)
        rows.push(await compareOnce(subjects, open, short ? paces.short : paces.full));
      const result = { title, micros: [microsOf(rows, before), microsOf(rows, after)] };
      results.push({ ...result, control: ratios(rows, control), change: ratios(rows, after) });
      console.error(
        `${title}: control ${shown(results.at(-1).control)}, this checkout ${shown(results.at(-1).change)}`,
      );
    }
    const isWhole = !short && only === '';
    print(
      isWhole
        ? introduction(name, rounds)
        : `A part of the loads, or a short run, beside ${name}: nothing for docs/performance.md.`,
    );
    print(show(name, results));
    return { beside: name, rounds, results };
  });
}

/** `npm run release` looks for this text in docs/performance.md, with a table after it. */
const introduction = (name, rounds) =>
  `Processor time of one call beside \`${name}\` (\`npm run bench -- compare\`), in µs, and relative to it: the median of ${rounds} ` +
  `rounds, each with new processes, lowest to highest in brackets. The control is \`${name}\` a second time. ${new Date().toUTCString()}.`;

async function compareOnce(subjects, open, pace) {
  const started = [];
  try {
    for (const { name, root } of subjects) {
      const subject = await open(name, root);
      started.push(subject);
      await subject.slice(pace.warmMs);
    }
    return summarize(await alternate(started, pace), [before]);
  } finally {
    for (const { close } of started) close();
  }
}

const rowOf = (rows, name) => rows.find((row) => row.name === name);

const ratios = (rounds, name) => rounds.map((rows) => rowOf(rows, name).timeOf[before].median).sort((a, b) => a - b);

const microsOf = (rounds, name) => median(rounds.map((rows) => rowOf(rows, name).cpuMicros));

const shown = (sorted) => `${percent(median(sorted))} (${percent(sorted[0])} to ${percent(sorted.at(-1))})`;

const show = (name, results) =>
  table(
    ['load', name, 'this checkout', 'control, relative', 'this checkout, relative'],
    results.map(({ title, micros, control: noise, change }) => [
      title,
      ...micros.map(threeFigures),
      shown(noise),
      shown(change),
    ]),
  );
