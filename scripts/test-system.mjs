/** `npm run test:system`: the package, and the tests that start processes, browsers or databases. With words, only the files whose path contains one. */
import { setUp } from './setup.mjs';
import { installSite } from './site/install.mjs';
import { packageSteps, runStep, runTwoAtATime } from './steps.mjs';
import { runSuite } from './suite.mjs';
import { provideSystemPackages } from './system-packages.mjs';
import { withTotals } from './totals.mjs';
import { checkIds } from './unknown-ids.mjs';

const filters = process.argv.slice(2);

await withTotals(async (totals) => {
  await setUp();
  await provideSystemPackages();
  if (filters.length === 0 || filters.some((word) => 'test/site/site.test.ts'.includes(word))) {
    const reason = await installSite();
    if (reason !== undefined) totals.missing('test/site', reason);
  }
  if (filters.length > 0) return totals.add(await runSuite('system', { filters }));
  totals.addFailures(await runTwoAtATime(packageSteps.map((step) => () => runStep(step))));
  console.log(`system tests on Node ${process.versions.node}`);
  totals.add(await runSuite('system'));
  totals.addFailures(await checkIds('system'));
});
