/** Calls over a pipe to a server in its own process: ours compared with others and with a bare loop. */
import { fileURLToPath } from 'node:url';
import { lifecycles } from '../lib/lifecycles.mjs';
import { startLineServer } from '../lib/line-server.mjs';
import { canPin, nodeCommand, onDriverCore } from '../lib/pinning.mjs';
import { percent, short, table, threeFigures } from '../lib/report.mjs';
import { alternate, summarize } from '../lib/slices.mjs';
import { median } from '../lib/statistics.mjs';
import { createDriver } from './driver.mjs';
import { loads, requestsOf } from './loads.mjs';

const yardstick = 'bare loop';

/** `kind` selects the loads that a subject takes part in. */
const subjects = [
  { name: yardstick, kind: 'plain', session: 'bare-session', exchange: 'bare-exchange' },
  { name: 'bare loop again (control)', kind: 'control', session: 'bare-session', exchange: 'bare-exchange' },
  {
    name: 'bare loop without checks',
    kind: 'trusting',
    session: 'bare-session',
    exchange: 'bare-exchange',
    args: ['trusting'],
  },
  { name: 'tenon', kind: 'ours', session: 'tenon', exchange: 'tenon' },
  { name: 'tenon, everything on', kind: 'everything', session: 'tenon-everything', exchange: 'tenon-everything' },
  { name: 'bare loop, everything on', kind: 'everything', session: 'bare-everything', exchange: 'bare-everything' },
  { name: 'tmcp', kind: 'peer', session: 'tmcp', exchange: 'tmcp' },
  { name: 'official SDK v1', kind: 'peer', session: 'sdk-v1' },
  { name: 'official SDK v2', kind: 'peer', session: 'sdk-v2', exchange: 'sdk-v2' },
  { name: 'fastmcp', kind: 'peer', session: 'fastmcp' },
];

export const measure = (print) =>
  onDriverCore(async () => {
    print(canPin ? 'Servers run on core 0, the driver on core 1.' : 'No process is pinned to a core.');
    const results = [];
    for (const load of loads) {
      for (const lifecycle of Object.keys(lifecycles)) {
        const { revision } = lifecycles[lifecycle];
        const rows = await compare(load, lifecycle);
        results.push({ title: load.title, revision, inFlight: load.inFlight, pace: load.pace, rows });
        print(`### ${load.title}, ${revision}, ${load.inFlight} in flight`);
        print(show(rows));
      }
    }
    return results;
  });

async function compare(load, lifecycle) {
  const present = subjects.filter(({ kind, [lifecycle]: file }) => load.kinds.includes(kind) && file !== undefined);
  const requests = requestsOf(load, lifecycles[lifecycle]);
  const started = [];
  try {
    for (const { name, [lifecycle]: file, args = [] } of present) {
      const server = startLineServer(name, nodeCommand([pathOf(file), ...args]));
      started.push({ name, server, slice: named(name, createDriver(server, requests, load.inFlight)) });
      await lifecycles[lifecycle].open(server);
    }
    const slices = await alternate(started, load.pace);
    const latency = (name) => median(slices.get(name).map(({ p90Ms }) => p90Ms));
    return summarize(slices, [yardstick]).map((row) => ({ ...row, p90Ms: latency(row.name) }));
  } finally {
    for (const { server } of started) server.close();
  }
}

const pathOf = (file) => fileURLToPath(new URL(`./servers/${file}.mjs`, import.meta.url));

/** Errors name the server. */
const named = (name, slice) => (ms) =>
  slice(ms).catch((error) => {
    throw new Error(`${name}: ${error.message}`, { cause: error });
  });

function show(rows) {
  const heads = [
    'subject',
    'calls/s',
    'share by speed',
    'quartiles',
    'CPU µs per call',
    'share by CPU',
    'quartiles',
    'p90 ms',
  ];
  return table(
    heads,
    rows.map(({ name, perSecond, cpuMicros, timeOf, rateOf, p90Ms }) => [
      name,
      short(perSecond.median),
      percent(rateOf[yardstick].median),
      `${percent(rateOf[yardstick].low)} to ${percent(rateOf[yardstick].high)}`,
      short(cpuMicros),
      percent(1 / timeOf[yardstick].median),
      `${percent(1 / timeOf[yardstick].high)} to ${percent(1 / timeOf[yardstick].low)}`,
      threeFigures(p90Ms),
    ]),
  );
}
