/** Runs the tests of one tier, on one Node, and counts the results. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, relative } from 'node:path';
import { inRoot, run } from './command.mjs';
import { filteredReport, hashOfSources, reportOf, stampReport } from './reports.mjs';

const vitest = inRoot('node_modules/vitest/vitest.mjs');

/** Some tests wait for timers: half a worker more per core uses that time. */
const workers = Math.ceil(availableParallelism() * 1.5);

/** Resolves with `{ passed, failed, skipped, failures }`. A run that fails without a failing test counts as one failure. */
export async function runSuite(tier, { node = process.execPath, filters = [] } = {}) {
  const report = filters.length > 0 ? filteredReport : reportOf(tier);
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  // Hashed before the run: a change during the run leaves the report out of date.
  const sources = hashOfSources();
  const reporters = ['default', 'json', './scripts/skip-reporter.mjs'].map((name) => `--reporter=${name}`);
  const args = [
    vitest,
    'run',
    `--maxWorkers=${workers}`,
    '--silent=passed-only',
    ...reporters,
    `--outputFile.json=${report}`,
    ...filters,
  ];
  // No test uses the network, and reading extra certificates doubles the start time of Node 20, with thousands of starts.
  const env = {
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    NODE_EXTRA_CA_CERTS: '',
    // Programs that tests start with tsx load the built package: half as long as the sources. `npm test` builds none.
    ...(tier !== 'fast' && { TSX_TSCONFIG_PATH: inRoot('test/kit/process/tsconfig.built.json') }),
    // vitest.config.ts selects the test files by this.
    TENON_TIER: tier,
  };
  const exit = await run(node, args, { output: 'show', env });
  if (report !== filteredReport) stampReport(tier, sources);
  const results = read(report);
  if (filters.length > 0 && results?.testResults.length === 0)
    console.log(`no ${tier} test has one of these words in its path; test/tiers.ts says which command runs a file`);
  const counts = countsOf(results);
  return {
    ...counts,
    failures: failuresIn(results),
    failed: exit.ok ? counts.failed : Math.max(1, counts.failed),
  };
}

function read(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Each failing test in a few lines, at the end of a long output. */
function failuresIn(report) {
  const failing = (report?.testResults ?? []).filter(({ status }) => status === 'failed');
  return failing.flatMap(({ name, message, assertionResults }) => {
    const file = relative(inRoot('.'), name);
    if (assertionResults.length === 0) return [`${file}: ${firstLines(message)}`];
    const tests = assertionResults.filter(({ status }) => status === 'failed');
    return tests.map((test) => `${file} > ${test.fullName}: ${firstLines(test.failureMessages.join('\n'))}`);
  });
}

const firstLines = (text) => text.split('\n').slice(0, 8).join('\n  ').slice(0, 1200);

/** A file that could not be loaded has no tests: it counts as one failure. */
function countsOf(report) {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
