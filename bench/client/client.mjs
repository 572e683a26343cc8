/** Calls of clients over HTTP to a canned server: ours compared with others and with a bare `node:http` agent. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startHttpServer } from '../lib/http-server.mjs';
import { isolate } from '../lib/isolation.mjs';
import { lifecycles } from '../lib/lifecycles.mjs';
import { canPin, nodeCommand, onDriverCore } from '../lib/pinning.mjs';
import { percent, short, table, threeFigures } from '../lib/report.mjs';
import { alternate, summarize } from '../lib/slices.mjs';

const pace = { rounds: 20, sliceMs: 200, warmMs: 2000 };
const inFlight = 64;
const yardstick = 'bare node:http agent';
const subjects = {
  [yardstick]: 'bare',
  'bare node:http agent again (control)': 'bare',
  tenon: 'tenon',
  'global fetch': 'fetch',
  'official SDK v1': 'sdk-v1',
  'official SDK v2': 'sdk-v2',
};
const clients = { tenon: 'tenon', 'official SDK v1': 'sdk-v1', 'official SDK v2': 'sdk-v2' };

const moduleOf = (name) => new URL(`./subjects/${name}.mjs`, import.meta.url);
const canned = fileURLToPath(new URL('./canned.mjs', import.meta.url));

export const measure = (print) =>
  onDriverCore(async () => {
    print(canPin ? 'The server runs on core 0, clients on core 1.' : 'No process is pinned to a core.');
    const results = [];
    for (const lifecycle of Object.keys(lifecycles)) {
      const server = await startHttpServer('canned', nodeCommand([canned, lifecycle]));
      try {
        const title = `${lifecycles[lifecycle].revision}, ${inFlight} in flight`;
        const calls = await compare({ lifecycle, port: server.port, inFlight });
        print(`### Calls of a client, ${title}`);
        print(showCalls(calls));
        const weights = await weigh(lifecycle, server.port);
        print(`### A connection, ${lifecycles[lifecycle].revision}`);
        print(showWeights(weights));
        results.push({ title, pace, calls, weights });
      } finally {
        server.close();
      }
    }
    return results;
  });

async function compare(job) {
  const started = [];
  try {
    for (const [name, file] of Object.entries(subjects)) started.push(await isolate(name, moduleOf(file), job));
    const slices = await alternate(
      started.filter(({ skipped }) => skipped === undefined),
      pace,
    );
    return summarize(slices, [yardstick]);
  } finally {
    for (const subject of started) subject.close?.();
  }
}

const showCalls = (rows) =>
  table(
    ['client', 'calls/s', '90th percentile', 'CPU µs per call', 'share of bare by CPU', 'by calls/s', 'quartiles'],
    rows.map(({ name, perSecond, cpuMicros, timeOf, rateOf }) => [
      name,
      short(perSecond.median),
      short(perSecond.p90),
      threeFigures(cpuMicros),
      percent(1 / timeOf[yardstick].median),
      percent(rateOf[yardstick].median),
      `${percent(rateOf[yardstick].low)} to ${percent(rateOf[yardstick].high)}`,
    ]),
  );

async function weigh(lifecycle, port) {
  const rows = [];
  for (const [name, file] of Object.entries(clients)) {
    if (lifecycle === 'exchange' && file === 'sdk-v1') continue;
    const program = fileURLToPath(new URL('./weight.mjs', import.meta.url));
    const args = ['--expose-gc', program, moduleOf(file).href, lifecycle, String(port)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
    rows.push({ name, ...JSON.parse(stdout) });
  }
  return rows;
}

const showWeights = (rows) =>
  table(
    ['client', 'ms to connect', 'KiB of heap per connection'],
    rows.map(({ name, ms, bytes }) => [name, threeFigures(ms), threeFigures(bytes / 1024)]),
  );
