/** Where a server spends its time: `node bench/stdio/profile.mjs tenon session [load]` prints functions by their own time. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lifecycles } from '../lib/lifecycles.mjs';
import { startLineServer } from '../lib/line-server.mjs';
import { nodeCommand, onDriverCore } from '../lib/pinning.mjs';
import { percent, table, threeFigures } from '../lib/report.mjs';
import { createDriver } from './driver.mjs';
import { loads, requestsOf } from './loads.mjs';

const warmMs = 1500;
const workMs = 6000;
const shown = 45;

async function record(file, lifecycle, load) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-profile-'));
  const options = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200'];
  const path = fileURLToPath(new URL(`./servers/${file}.mjs`, import.meta.url));
  const server = startLineServer(file, nodeCommand([...options, path]));
  try {
    await lifecycle.open(server);
    const slice = createDriver(server, requestsOf(load, lifecycle), load.inFlight);
    await slice(warmMs);
    const { count } = await slice(workMs);
    await server.end();
    const [name] = readdirSync(folder);
    return { count, profile: JSON.parse(readFileSync(join(folder, name), 'utf8')) };
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
}

/** Time of each function by itself, in microseconds, since the warming up; what is idle does not count. */
function selfTimes({ nodes, samples, timeDeltas, startTime, endTime }) {
  const byId = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map();
  let now = startTime;
  for (const [index, id] of samples.entries()) {
    now += timeDeltas[index];
    const { functionName, url, lineNumber } = byId.get(id);
    if (functionName === '(idle)' || now < endTime - workMs * 1000) continue;
    const key = `${functionName || '(anonymous)'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`;
    times.set(key, (times.get(key) ?? 0) + timeDeltas[index]);
  }
  return [...times].sort((a, b) => b[1] - a[1]);
}

const [file = 'tenon', which = 'session', title = loads[0].title] = process.argv.slice(2);
const load = loads.find((one) => one.title === title);
const { count, profile } = await onDriverCore(() => record(file, lifecycles[which], load));
const times = selfTimes(profile);
const total = times.reduce((sum, [, micros]) => sum + micros, 0);
console.log(
  `${file}, ${which}, ${title}: ${count} calls, ${threeFigures(total / count)} µs a call under the profiler\n`,
);
const rows = times.slice(0, shown).map(([key, micros]) => [key, percent(micros / total), threeFigures(micros / count)]);
console.log(table(['function', 'own time', 'µs a call'], rows));
