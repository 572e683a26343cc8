/** `npm run ledger`: which requirements the latest test run proves; runs the suite first when the report is out of date. */
import { run } from './command.mjs';
import { setUp } from './setup.mjs';
import { isReportCurrent, runSuite, wholeReport } from './suite.mjs';

try {
  if (!isReportCurrent()) {
    console.log('ledger: no report of these sources; running the suite');
    await setUp();
    await runSuite();
  }
  const args = ['--import', 'tsx', 'scripts/ledger/main.ts', wholeReport, ...process.argv.slice(2)];
  const ledger = await run(process.execPath, args, { output: 'show' });
  if (!ledger.ok) process.exitCode = 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
