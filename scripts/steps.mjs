/** The checks that need no test run, each a command of its own, and how they are run. */
import { inRoot, run, tool } from './command.mjs';

const tsc = inRoot('node_modules/ts7/bin/tsc');
const node = process.execPath;

/** What can be known of the sources as they stand. */
export const staticSteps = [
  { name: 'types (node)', command: node, args: [tsc, '-p', 'tsconfig.node.json'] },
  { name: 'unused', command: tool('knip'), args: ['--config', 'test/package/knip.json'] },
  { name: 'types', command: node, args: [tsc, '-p', 'tsconfig.json'] },
  { name: 'format', command: tool('biome'), args: ['check', '--linter-enabled=false'] },
  { name: 'lint', command: tool('oxlint'), args: [] },
  { name: 'bench frame', command: node, args: ['--test', 'bench/lib/slices.test.mjs'] },
];

/** The package as it would be published; `dist` must be built. */
export const packageSteps = [
  { name: 'publint', command: tool('publint'), args: ['--strict'] },
  { name: 'attw', command: tool('attw'), args: ['--pack', '.', '--profile', 'esm-only'] },
];

/** Runs one step, prints a line about it and, where it failed, all it said. Settles with whether it went well. */
export async function runStep({ name, command, args }) {
  const { ok, seconds, output } = await run(command, args);
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(14)} ${seconds.toFixed(1)} s`);
  if (!ok) console.log(output);
  return ok;
}

/** Works jobs off with two lanes, one for each core of a small machine; settles with how many failed. */
export async function inTwoLanes(jobs) {
  const queue = [...jobs];
  let failed = 0;
  const lane = async () => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) if (!(await job())) failed += 1;
  };
  await Promise.all([lane(), lane()]);
  return failed;
}
