/** `npm run test:long`: the long tests that vitest.config.ts lists. With words, only the files whose path contains one. */
import { inRoot } from './command.mjs';
import { installFrameworks } from './frameworks.mjs';
import { setUp } from './setup.mjs';
import { runSuite } from './suite.mjs';
import { withTotals } from './totals.mjs';

const filters = process.argv.slice(2);

await withTotals(async (totals) => {
  await setUp();
  const reason = await installFrameworks();
  if (reason !== undefined) totals.missing('test/frameworks', reason);
  // vitest.config.ts selects the long tests by this.
  const env = { TENON_LONG: 'yes' };
  totals.add(await runSuite({ filters, env, report: inRoot('.tenon/report-long.json') }));
});
