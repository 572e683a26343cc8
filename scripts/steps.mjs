/** The checks besides the tests, each a command, and how to run them. */
import { inRoot, run, tool } from './command.mjs';

const tsc = inRoot('node_modules/ts7/bin/tsc');
const node = process.execPath;

/** Those that need no packages of the benchmark. */
const benchTests = [
  'lib/slices',
  'lib/arguments',
  'lib/shares',
  'compare/library',
  'growth/slopes',
  'growth/plot',
  'soak/flat',
].map((name) => `bench/${name}.test.mjs`);

/** Checks of the sources. */
export const staticSteps = [
  { name: 'types (node)', command: node, args: [tsc, '-p', 'tsconfig.node.json'] },
  { name: 'unused', command: tool('knip'), args: ['--config', 'test/package/knip.json'] },
  { name: 'types', command: node, args: [tsc, '-p', 'tsconfig.json'] },
  { name: 'types (page)', command: node, args: [tsc, '-p', 'apps/inspector/tsconfig.json'] },
  { name: 'types (playground)', command: node, args: [tsc, '-p', 'apps/playground/tsconfig.json'] },
  { name: 'format', command: tool('biome'), args: ['check', '--linter-enabled=false'] },
  { name: 'lint', command: tool('oxlint'), args: [] },
  { name: 'bench frame', command: node, args: ['--test', ...benchTests] },
];

/**
 * Checks of the package as it would be published; `dist` must be built. Left out: resolution without `exports` (node10), which
 * the package does not support, and declarations for `require` beside a module that is ESM, which every supported Node
 * requires (`test/package/matrix` does).
 */
export const packageSteps = [
  { name: 'publint', command: tool('publint'), args: ['--strict'] },
  {
    name: 'attw',
    command: tool('attw'),
    args: ['--pack', '.', '--profile', 'node16', '--ignore-rules', 'false-cjs', 'cjs-resolves-to-esm'],
  },
];

/** Runs one step and prints a line about it, with the whole output where it failed. Resolves with whether it succeeded. */
export async function runStep({ name, command, args }) {
  const { ok, seconds, output } = await run(command, args);
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(14)} ${seconds.toFixed(1)} s`);
  if (!ok) console.log(output);
  return ok;
}

/** Runs jobs two at a time, one for each core of a small machine. Resolves with the number of failures. */
export async function runTwoAtATime(jobs) {
  const queue = [...jobs];
  let failed = 0;
  const worker = async () => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) if (!(await job())) failed += 1;
  };
  await Promise.all([worker(), worker()]);
  return failed;
}
