/** `npm test`: the static checks and the tests that need no other process. With words, only the files whose path contains one. */
import { generate, install } from './setup.mjs';
import { runStep, runTwoAtATime, staticSteps } from './steps.mjs';
import { runSuite } from './suite.mjs';
import { withTotals } from './totals.mjs';
import { checkIds } from './unknown-ids.mjs';

const filters = process.argv.slice(2);

await withTotals(async (totals) => {
  // No build: these tests use the sources.
  await install();
  await generate();
  if (filters.length > 0) return totals.add(await runSuite('fast', { filters }));
  totals.addFailures(await runTwoAtATime(staticSteps.map((step) => () => runStep(step))));
  console.log(`fast tests on Node ${process.versions.node}`);
  totals.add(await runSuite('fast'));
  totals.addFailures(await checkIds('fast'));
});
