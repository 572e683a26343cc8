/** Checks that the tests of a tier name no id that the ledger lacks. */
import { run } from './command.mjs';
import { reportOf } from './reports.mjs';

/** Resolves with the number of failures: one or none. */
export async function checkIds(tier) {
  const args = ['--import', 'tsx', 'scripts/ledger/main.ts', '--ids', reportOf(tier)];
  const { ok } = await run(process.execPath, args, { output: 'show' });
  if (!ok) console.log('FAILED ledger');
  return ok ? 0 : 1;
}
