/** `npm run check`: everything that can be known in under a minute, two steps at a time. */
import { inRoot, run, tool } from './command.mjs';
import { packageSteps } from './package-steps.mjs';
import { build, install } from './setup.mjs';

const tsc = inRoot('node_modules/ts7/bin/tsc');
const quickTests = ['src/', 'test/architecture', 'test/package', 'test/docs'];

const steps = [
  { name: 'tests', command: tool('vitest'), args: ['run', ...quickTests] },
  { name: 'format', command: tool('biome'), args: ['check', '--linter-enabled=false'] },
  { name: 'lint', command: tool('oxlint'), args: [] },
  { name: 'types', command: process.execPath, args: [tsc, '-p', 'tsconfig.json'] },
  { name: 'types (node)', command: process.execPath, args: [tsc, '-p', 'tsconfig.node.json'] },
  { name: 'unused', command: tool('knip'), args: ['--config', 'test/package/knip.json'] },
];

async function runStep({ name, command, args }) {
  const step = await run(command, args);
  console.log(`${step.ok ? 'ok    ' : 'FAILED'} ${name.padEnd(14)} ${step.seconds.toFixed(1)} s`);
  if (!step.ok) {
    console.log(step.output);
    process.exitCode = 1;
  }
  return step.ok;
}

async function checkPackage() {
  try {
    await build();
  } catch {
    process.exitCode = 1;
    return;
  }
  for (const step of packageSteps) await runStep(step);
}

/** Works the queue off with two lanes, one for each core of a small machine. */
async function inTwoLanes(jobs) {
  const lane = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await job();
  };
  await Promise.all([lane(), lane()]);
}

try {
  await install();
  if (await runStep({ name: 'generate', command: 'npm', args: ['run', '--silent', 'generate'] })) {
    const [tests, ...rest] = steps.map((step) => () => runStep(step));
    await inTwoLanes([tests, checkPackage, ...rest]);
  }
} catch (error) {
  console.log(error.message);
  process.exitCode = 1;
}
