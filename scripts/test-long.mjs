/** `npm run test:long`: what takes long, and more repetitions of other tests. With words, only the files whose path contains one. */
import { installKeptPackages } from './kept-packages.mjs';
import { setUp } from './setup.mjs';
import { runSuite } from './suite.mjs';
import { withTotals } from './totals.mjs';

const filters = process.argv.slice(2);

await withTotals(async (totals) => {
  await setUp();
  for (const { tests, reason } of await installKeptPackages(filters)) totals.missing(tests, reason);
  totals.add(await runSuite('long', { filters }));
});
