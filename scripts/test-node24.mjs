/** `npm run test:node24`: repeats on Node 24 the tests that touch the machine. With words, only the files whose path contains one. */
import { findNode24 } from './node24.mjs';
import { setUp } from './setup.mjs';
import { runSuite } from './suite.mjs';
import { withTotals } from './totals.mjs';

const filters = process.argv.slice(2);

await withTotals(async (totals) => {
  await setUp();
  const { node, reason } = await findNode24();
  if (node === undefined) return totals.missing('the tests on Node 24', reason);
  console.log('tests on Node 24');
  totals.add(await runSuite('node24', { node, filters }));
});
