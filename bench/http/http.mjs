/** Requests over HTTP to a server in its own process: ours compared with others and with a bare `node:http` server. */
import { lifecycles } from '../lib/lifecycles.mjs';
import { canPin, onDriverCore } from '../lib/pinning.mjs';
import { percent, short, table, threeFigures } from '../lib/report.mjs';
import { alternate, summarize } from '../lib/slices.mjs';
import { median } from '../lib/statistics.mjs';
import { connections, createDriver } from './driver.mjs';
import { loads, requestsOf } from './loads.mjs';
import { weighSessions } from './memory.mjs';
import { start, subjects, yardstick } from './subjects.mjs';

/** `short` only shows that everything works. */
const paces = {
  full: { rounds: 20, sliceMs: 150, warmMs: 1000 },
  short: { rounds: 2, sliceMs: 100, warmMs: 100 },
};
/**
 * Each server is warmed up as soon as its sessions are open. On Node 20 a server that had some hundred requests and then
 * waits for eight seconds needs 3 µs more per request from then on, the bare one too: the collection of an idle heap
 * drops what V8 knew of `process.nextTick`. A server that had to wait for its warm-up would be slower.
 */
const firstWarmMs = { full: 2000, short: 300 };
const few = 'tenon, 10 tools';
const many = 'tenon, 10,000 tools';

export const measure = (print) =>
  onDriverCore(async () => {
    print(canPin ? 'Servers run on core 0, the driver on core 1.' : 'No process is pinned to a core.');
    const results = [];
    for (const load of loads) {
      const present = subjects.filter(
        (one) => load.kinds.includes(one.kind) && one.lifecycles.includes(load.lifecycle),
      );
      const rows = await compare(
        present.map(({ name, file, settings }) => ({ name, file, settings, load })),
        yardstick,
      );
      results.push(report(print, load, rows, yardstick));
    }
    for (const load of loads.slice(0, 2)) {
      const rows = await compare(grown(load), few);
      results.push(report(print, { ...load, title: `${load.title}, growth` }, rows, few));
    }
    return { loads: results, idle: await weighSessions(print) };
  });

/** Our server twice with ten tools, to show the noise, and once with a thousand times as many. */
const grown = (load) => [
  { name: few, file: 'tenon', load: { ...load, tools: 10 } },
  { name: `${few}, again (control)`, file: 'tenon', load: { ...load, tools: 10 } },
  { name: many, file: 'tenon', load: { ...load, tools: 10_000 } },
];

/** Starts all servers, alternates between them, and summarizes each as a share of the named one. */
export async function compare(present, beside, { short = false } = {}) {
  const length = short ? 'short' : 'full';
  const started = [];
  try {
    for (const { name, file, load, settings } of present) {
      const server = await start(name, file, load, [], settings);
      started.push({ name, server });
      const requests = await requestsOf(load, server);
      const slice = named(name, createDriver(server, requests, connections));
      started.at(-1).slice = slice;
      await slice(firstWarmMs[length]);
    }
    const slices = await alternate(started, paces[length]);
    const of = (name, measured) => median(slices.get(name).map(measured));
    return summarize(slices, [beside]).map((row) => ({
      ...row,
      p90Ms: of(row.name, ({ p90Ms }) => p90Ms),
      driverShare: of(row.name, ({ driverMs, ms }) => driverMs / ms),
    }));
  } finally {
    for (const { server } of started) server.close();
  }
}

/** Errors name the server. */
const named = (name, slice) => (ms) =>
  slice(ms).catch((error) => {
    throw new Error(`${name}: ${error.message}`, { cause: error });
  });

export function report(print, { title, lifecycle }, rows, beside, { short = false } = {}) {
  const { revision } = lifecycles[lifecycle];
  print(`### ${title}, ${revision}, ${connections} connections`);
  print(show(rows, beside));
  return { title, revision, connections, pace: paces[short ? 'short' : 'full'], rows };
}

function show(rows, beside) {
  const heads = [
    'subject',
    'requests/s',
    'share by speed',
    'quartiles',
    'CPU µs per request',
    'share by CPU',
    'quartiles',
    'p90 ms',
    'driver busy',
  ];
  return table(
    heads,
    rows.map(({ name, perSecond, cpuMicros, timeOf, rateOf, p90Ms, driverShare }) => [
      name,
      short(perSecond.median),
      percent(rateOf[beside].median),
      `${percent(rateOf[beside].low)} to ${percent(rateOf[beside].high)}`,
      short(cpuMicros),
      percent(1 / timeOf[beside].median),
      `${percent(1 / timeOf[beside].high)} to ${percent(1 / timeOf[beside].low)}`,
      threeFigures(p90Ms),
      percent(driverShare),
    ]),
  );
}
