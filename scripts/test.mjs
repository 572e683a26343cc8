/** `npm test`: the static checks, the whole suite under this Node and under Node 24, the package and the ledger. */
import { provideChromium } from './chromium.mjs';
import { inRoot, run } from './command.mjs';
import { installFrameworks } from './frameworks.mjs';
import { findNode24 } from './node24.mjs';
import { setUp } from './setup.mjs';
import { inTwoLanes, packageSteps, runStep, staticSteps } from './steps.mjs';
import { runSuite } from './suite.mjs';

const total = { passed: 0, failed: 0, skipped: 0 };
const filters = process.argv.slice(2);

const failures = [];

function add(counts) {
  failures.push(...counts.failures);
  for (const kind of Object.keys(total)) total[kind] += counts[kind];
}

/** A check that fails counts as a failed test, so that the last line tells of it. */
async function checks() {
  total.failed += await inTwoLanes([...staticSteps, ...packageSteps].map((step) => () => runStep(step)));
}

/** What is large and foreign is brought in by its name, and tried under one Node only. */
const brought = { 'test/frameworks': installFrameworks, 'test/browser': provideChromium };

/**
 * What touches the machine: files, processes, sockets, the database of the demo, timers and what Node tells of memory. The rest asks
 * only the language or the compiler, and has the same answer under every Node.
 */
const machine = [
  'src/node',
  'src/transport',
  'test/stdio',
  'test/http',
  'test/client-http',
  'test/host',
  'test/telemetry',
  'test/examples',
  ...['closed', 'leaving-process', 'time-outs'].map((name) => `test/client/${name}`),
  ...['cycles', 'graceful-restart', 'processes', 'sockets'].map((name) => `test/life/${name}`),
];

async function bring() {
  for (const [tests, provide] of Object.entries(brought)) {
    if (filters.length > 0 && !filters.some((filter) => tests.includes(filter))) continue;
    const missing = await provide();
    if (missing !== undefined) console.log(`SKIPPED: ${tests}: ${missing}`);
  }
}

async function suites() {
  console.log(`suite under Node ${process.versions.node}`);
  add(await runSuite());
  const { node, reason } = await findNode24();
  if (node === undefined) return console.log(`SKIPPED: the suite under Node 24: ${reason}`);
  console.log(`suite under Node 24: ${machine.join(', ')}`);
  add(await runSuite({ node, report: inRoot('.tenon/report-node24.json'), filters: machine }));
}

async function ledger() {
  const { ok } = await run(process.execPath, ['scripts/ledger.mjs'], { output: 'show' });
  if (!ok) total.failed += 1;
}

async function everything() {
  await Promise.all([checks(), bring()]);
  await suites();
  await ledger();
}

async function some() {
  await bring();
  add(await runSuite({ filters, report: inRoot('.tenon/report-filtered.json') }));
}

try {
  await setUp();
  await (filters.length > 0 ? some() : everything());
} catch (error) {
  console.log(error.message);
  total.failed += 1;
}
for (const failure of failures) console.log(`failed: ${failure}`);
if (total.failed > 0) process.exitCode = 1;
console.log(`tests: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
