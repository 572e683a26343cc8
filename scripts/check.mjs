/** `npm run check`: all checks that take under a minute together, two at a time. */
import { tool } from './command.mjs';
import { build, generate, install } from './setup.mjs';
import { packageSteps, runStep, runTwoAtATime, staticSteps } from './steps.mjs';

async function checkPackage() {
  await build();
  let ok = true;
  for (const step of packageSteps) ok = (await runStep(step)) && ok;
  return ok;
}

try {
  await install();
  await generate();
  const args = ['run', '--maxWorkers=100%'];
  // test/tiers.ts selects the test files by this.
  process.env.TENON_TIER = 'check';
  const tests = () => runStep({ name: 'tests', command: tool('vitest'), args });
  const jobs = [tests, checkPackage, ...staticSteps.map((step) => () => runStep(step))];
  if ((await runTwoAtATime(jobs)) > 0) process.exitCode = 1;
} catch (error) {
  console.log(error.message);
  process.exitCode = 1;
}
