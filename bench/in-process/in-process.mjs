/** A tool call and its answer within one process: ours compared with other clients and servers and with a bare function. */
import { isolate } from '../lib/isolation.mjs';
import { percent, short, table, threeFigures } from '../lib/report.mjs';
import { alternate, summarize } from '../lib/slices.mjs';
import { bytesPerSession } from './memory.mjs';

const pace = { rounds: 30, sliceMs: 60, warmMs: 800 };

const module = (name) => new URL(`./subjects/${name}.mjs`, import.meta.url);
const ours = 'tenon';
const yardstick = 'bare function';

const subjects = {
  [ours]: module('tenon'),
  'tenon again (control)': module('tenon'),
  [yardstick]: module('bare'),
  'official SDK v1': module('sdk-v1'),
  'official SDK v2': module('sdk-v2'),
  tmcp: module('tmcp'),
};

const jobs = ['2025-11-25', '2026-07-28'].flatMap((revision) =>
  [1, 64].map((inFlight) => ({ title: `${revision}, ${inFlight} in flight`, revision, inFlight })),
);

export async function measure(print) {
  const calls = [];
  for (const job of jobs) {
    const { rows, skipped } = await compare(job);
    calls.push({ ...job, pace, rows, skipped });
    print(`### ${job.title}`);
    print(showCalls(rows));
    for (const { name, skipped: reason } of skipped) print(`skipped: ${name}: ${reason}`);
  }
  const memory = await weigh();
  print('### Idle sessions');
  print(showMemory(memory));
  return { calls, memory };
}

async function compare(job) {
  const started = [];
  try {
    for (const [name, file] of Object.entries(subjects)) started.push(await isolate(name, file, job));
    const skipped = started.filter((subject) => subject.skipped !== undefined);
    const present = started.filter((subject) => subject.skipped === undefined);
    const slices = await alternate(present, pace);
    return { rows: summarize(slices, [yardstick, ours]), skipped };
  } finally {
    for (const subject of started) subject.close?.();
  }
}

function showCalls(rows) {
  const heads = [
    'subject',
    'calls/s',
    '90th percentile',
    'CPU µs per call',
    'share of bare',
    'time of ours',
    'quartiles',
  ];
  return table(
    heads,
    rows.map(({ name, perSecond, cpuMicros, timeOf }) => [
      name,
      short(perSecond.median),
      short(perSecond.p90),
      threeFigures(cpuMicros),
      percent(1 / timeOf[yardstick].median),
      `${short(timeOf[ours].median)} x`,
      `${short(timeOf[ours].low)} to ${short(timeOf[ours].high)}`,
    ]),
  );
}

async function weigh() {
  const rows = [];
  for (const revision of ['2025-11-25', '2026-07-28']) {
    for (const [name, file] of Object.entries(subjects)) {
      if (name === yardstick) continue;
      const bytes = await bytesPerSession(file, { revision, inFlight: 1 });
      if (bytes !== undefined) rows.push({ name, revision, bytes });
    }
  }
  return rows;
}

const showMemory = (rows) =>
  table(
    ['subject', 'revision', 'kB per session'],
    rows.map(({ name, revision, bytes }) => [name, revision, threeFigures(bytes / 1000)]),
  );
