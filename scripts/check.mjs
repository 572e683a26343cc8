/** `npm run check`: everything that can be known in under a minute, two steps at a time. */
import { tool } from './command.mjs';
import { build, install } from './setup.mjs';
import { inTwoLanes, packageSteps, runStep, staticSteps } from './steps.mjs';

const quickTests = ['src/', 'test/architecture', 'test/package', 'test/docs'];

async function checkPackage() {
  await build();
  let ok = true;
  for (const step of packageSteps) ok = (await runStep(step)) && ok;
  return ok;
}

try {
  await install();
  const args = ['run', '--maxWorkers=100%', ...quickTests];
  // What takes long is left to `npm test`; vitest.config.ts knows what that is.
  process.env.TENON_QUICK = 'yes';
  const tests = () => runStep({ name: 'tests', command: tool('vitest'), args });
  const generated = await runStep({ name: 'generate', command: 'npm', args: ['run', '--silent', 'generate'] });
  const jobs = [tests, checkPackage, ...staticSteps.map((step) => () => runStep(step))];
  if (!generated || (await inTwoLanes(jobs)) > 0) process.exitCode = 1;
} catch (error) {
  console.log(error.message);
  process.exitCode = 1;
}
