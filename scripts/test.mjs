/** `npm test`: the static checks, the suite on this Node, the package and the ledger. With words, only the files whose path contains one. */
import { inRoot, run } from './command.mjs';
import { setUp } from './setup.mjs';
import { packageSteps, runStep, runTwoAtATime, staticSteps } from './steps.mjs';
import { runSuite } from './suite.mjs';
import { provideSystemPackages } from './system-packages.mjs';
import { withTotals } from './totals.mjs';

const filters = process.argv.slice(2);

async function runEverything(totals) {
  totals.addFailures(await runTwoAtATime([...staticSteps, ...packageSteps].map((step) => () => runStep(step))));
  console.log(`suite on Node ${process.versions.node}`);
  totals.add(await runSuite());
  const ledger = await run(process.execPath, ['scripts/ledger.mjs'], { output: 'show' });
  if (!ledger.ok) {
    console.log('FAILED ledger');
    totals.addFailures(1);
  }
}

async function runSome(totals) {
  totals.add(await runSuite({ filters, report: inRoot('.tenon/report-filtered.json') }));
}

await withTotals(async (totals) => {
  await setUp();
  await provideSystemPackages();
  await (filters.length > 0 ? runSome(totals) : runEverything(totals));
});
