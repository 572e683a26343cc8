/** What a result depends on besides the code: machine, Node, versions, date. */
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';

const repository = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, repository), 'utf8');

/** The installed versions of the other packages, and ours with the start of the hash of its sources. */
export function versions() {
  const wanted = Object.keys(JSON.parse(read('bench/package.json')).dependencies);
  const installed = wanted.map((name) => [name, JSON.parse(read(`bench/node_modules/${name}/package.json`)).version]);
  const sources = existsSync(new URL('.tenon/built-from', repository)) ? read('.tenon/built-from') : 'unknown';
  const own = `${JSON.parse(read('package.json')).version} (sources ${sources.slice(0, 12)})`;
  return { tenon: own, ...Object.fromEntries(installed) };
}

export function runInfo() {
  return {
    date: new Date().toISOString(),
    node: process.version,
    v8: process.versions.v8,
    system: `${process.platform} ${release()} ${process.arch}`,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    loadAtStart: loadavg()[0],
    versions: versions(),
  };
}

export const infoLines = ({ versions, ...machine }) => [
  `${machine.date}, Node ${machine.node} (V8 ${machine.v8}), ${machine.system}`,
  `${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, load ${machine.loadAtStart.toFixed(1)} at start`,
  Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', '),
];
