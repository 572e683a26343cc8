/**
 * `npm run ledger`: which requirements the latest test runs prove. A tier without a report of the present sources is
 * named, and lost rows fail only when no tier is missing. With `--whole`, as in CI, a missing tier fails.
 */
import { run } from './command.mjs';
import { provingReports, provingTiers, reportOf } from './reports.mjs';

const flags = process.argv.slice(2);
const { current, missing } = provingReports();
const needsAll = flags.includes('--whole') || flags.includes('--accept');

for (const tier of missing)
  console.log(`ledger: no report of these sources from the ${tier} tests; run ${provingTiers[tier]}`);
if (current.length === 0 || (needsAll && missing.length > 0)) process.exitCode = 1;
else {
  const scope = missing.length > 0 ? ['--partial'] : flags.filter((flag) => flag === '--accept');
  const args = ['--import', 'tsx', 'scripts/ledger/main.ts', ...scope, ...current.map(reportOf)];
  const ledger = await run(process.execPath, args, { output: 'show' });
  if (!ledger.ok) process.exitCode = 1;
}
