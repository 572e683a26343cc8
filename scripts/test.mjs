/** `npm test`: the whole suite under this Node and under Node 24, the package checks and the ledger. */
import { inRoot, run } from './command.mjs';
import { findNode24 } from './node24.mjs';
import { packageSteps } from './package-steps.mjs';
import { setUp } from './setup.mjs';
import { runSuite } from './suite.mjs';

const total = { passed: 0, failed: 0, skipped: 0 };
const filters = process.argv.slice(2);

function add(counts) {
  for (const kind of Object.keys(total)) total[kind] += counts[kind];
}

async function suites() {
  console.log(`suite under Node ${process.versions.node}`);
  add(await runSuite());
  const { node, reason } = await findNode24();
  if (node === undefined) return console.log(`SKIPPED: the suite under Node 24: ${reason}`);
  console.log('suite under Node 24');
  add(await runSuite({ node, report: inRoot('.tenon/report-node24.json') }));
}

/** Each settles with whether it went well. */
async function packageChecks() {
  let ok = true;
  for (const { name, command, args } of packageSteps) {
    const step = await run(command, args);
    console.log(`package: ${name} ${step.ok ? 'ok' : 'FAILED'}`);
    if (!step.ok) console.log(step.output);
    ok &&= step.ok;
  }
  return ok;
}

const ledger = async () => (await run(process.execPath, ['scripts/ledger.mjs'], { output: 'show' })).ok;

async function everything() {
  await suites();
  const packaged = await packageChecks();
  const proved = await ledger();
  if (!packaged || !proved) process.exitCode = 1;
}

async function some() {
  add(await runSuite({ filters, report: inRoot('.tenon/report-filtered.json') }));
}

try {
  await setUp();
  await (filters.length > 0 ? some() : everything());
} catch (error) {
  console.log(error.message);
  total.failed += 1;
}
if (total.failed > 0) process.exitCode = 1;
console.log(`tests: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
