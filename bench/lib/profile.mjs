/** Where a server spends its time, measured by Node's profiler. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { percent, table, threeFigures } from './report.mjs';

const warmMs = 2500;
const workMs = 6000;
const shown = 45;

/**
 * `start(options)` starts a server with these options of Node and resolves with `{ slice, end, close }`: `slice` as for
 * `alternate`, and `end` makes the server exit by itself. Prints functions by their own time.
 */
export async function printProfile(title, start) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-profile-'));
  try {
    const server = await start(['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200']);
    try {
      await server.slice(warmMs);
      const { count } = await server.slice(workMs);
      await server.end();
      const [name] = readdirSync(folder);
      print(title, count, selfTimes(JSON.parse(readFileSync(join(folder, name), 'utf8'))));
    } finally {
      server.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The own time of each function in microseconds since the warm-up, without idle time. */
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

function print(title, count, times) {
  const total = times.reduce((sum, [, micros]) => sum + micros, 0);
  console.log(`${title}: ${count} requests, ${threeFigures(total / count)} µs per request under the profiler\n`);
  const row = ([key, micros]) => [key, percent(micros / total), threeFigures(micros / count)];
  console.log(table(['function', 'own time', 'µs per request'], times.slice(0, shown).map(row)));
}
