/** What a hop costs: calls over HTTP to a server itself, and through our gateway and others in front of it over stdio. */
import { createDriver } from '../http/driver.mjs';
import { loads, requestsOf } from '../http/loads.mjs';
import { lifecycles } from '../lib/lifecycles.mjs';
import { canPin, onDriverCore } from '../lib/pinning.mjs';
import { short as shortNumber, table, threeFigures } from '../lib/report.mjs';
import { alternate, summarize } from '../lib/slices.mjs';
import { median } from '../lib/statistics.mjs';
import { direct, subjects } from './subjects.mjs';

/** `short` only shows that everything works. */
const paces = {
  full: { rounds: 20, sliceMs: 250, warmMs: 2000 },
  short: { rounds: 2, sliceMs: 100, warmMs: 200 },
};

/** Calls in flight at once: the first for processor time and latency, the second for throughput. */
const [one, many] = [1, 32];

export const measure = (print, { short = false }) =>
  onDriverCore(async () => {
    print(
      canPin ? 'What is in front and behind runs on core 0, the driver on core 1.' : 'No process is pinned to a core.',
    );
    const pace = paces[short ? 'short' : 'full'];
    const results = [];
    for (const lifecycle of Object.keys(lifecycles)) {
      const { revision } = lifecycles[lifecycle];
      const rows = await compare(lifecycle, pace);
      print(`### A call through a gateway, ${revision}`);
      print(show(rows));
      results.push({ title: 'tools/call through a gateway', revision, pace, rows });
    }
    return { loads: results };
  });

async function compare(lifecycle, pace) {
  const started = [];
  try {
    for (const { name, start } of subjects.filter((each) => each.lifecycles.includes(lifecycle))) {
      const server = await start(name, lifecycle);
      started.push({ name, server });
      const load = { ...loads[0], lifecycle, sessions: lifecycle === 'session' ? 1 : 0 };
      started.at(-1).requests = await requestsOf(load, server);
    }
    const alone = await alternate(drivers(started, one), pace);
    const together = await alternate(drivers(started, many), pace);
    const latency = (name) => median(alone.get(name).map(({ medianMs }) => medianMs));
    const busy = summarize(together, [direct]);
    return summarize(alone, [direct]).map(({ name, cpuMicros, timeOf }, at) => ({
      name,
      cpuMicros,
      timeOf,
      medianMs: latency(name),
      addedMs: latency(name) - latency(direct),
      together: busy[at],
    }));
  } finally {
    for (const { server } of started) server.close();
  }
}

/** Errors name the subject. */
const drivers = (started, inFlight) =>
  started.map(({ name, server, requests }) => {
    const slice = createDriver(server, requests, inFlight);
    return {
      name,
      slice: (ms) =>
        slice(ms).catch((error) => {
          throw new Error(`${name}: ${error.message}`, { cause: error });
        }),
    };
  });

const show = (rows) =>
  table(
    [
      'in front',
      'CPU µs of a call',
      'times direct',
      'median ms',
      'added ms',
      `calls/s, ${many} at once`,
      `CPU µs, ${many} at once`,
    ],
    rows.map(({ name, cpuMicros, timeOf, medianMs, addedMs, together }) => [
      name,
      threeFigures(cpuMicros),
      threeFigures(timeOf[direct].median),
      threeFigures(medianMs),
      threeFigures(addedMs),
      shortNumber(together.perSecond.median),
      threeFigures(together.cpuMicros),
    ]),
  );
