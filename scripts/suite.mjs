/** Runs the test suite once, under one Node, and counts what came of it. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, relative } from 'node:path';
import { inRoot, run } from './command.mjs';
import { hashOf, isStamped, putStamp } from './sources.mjs';

const vitest = inRoot('node_modules/vitest/vitest.mjs');

/** Some tests wait for a time that has to pass: half a worker more for each core works meanwhile. */
const workers = Math.ceil(availableParallelism() * 1.5);

/** Where the ledger finds the latest whole run. */
export const wholeReport = inRoot('.tenon/report.json');

/** What a report tells of: it is good for nothing once one of these has changed. */
const reportStamp = inRoot('.tenon/report-of');
const reported = ['src', 'examples', 'test', 'scripts', 'package.json', 'vitest.config.ts'];

export const isReportCurrent = () => existsSync(wholeReport) && isStamped(reportStamp, hashOf(reported));

/** Settles with `{ passed, failed, skipped }` and what failed; a run that ends badly without a failing test counts as one failure. */
export async function runSuite(options = {}) {
  const { node = process.execPath, report = wholeReport, filters = [], output = 'show' } = options;
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  // The sources as they are before the run: a change in its midst leaves the report out of date.
  const sources = hashOf(reported);
  const reporters = ['default', 'json', './scripts/skips.mjs'].map((name) => `--reporter=${name}`);
  const args = [
    vitest,
    'run',
    `--maxWorkers=${workers}`,
    '--silent=passed-only',
    ...reporters,
    `--outputFile.json=${report}`,
    ...filters,
  ];
  // Nothing here goes beyond this machine, and certificates to trust make each of some thousand starts of Node 20 take twice as long.
  const env = { PATH: `${dirname(node)}${delimiter}${process.env.PATH}`, NODE_EXTRA_CA_CERTS: '' };
  const ended = await run(node, args, { output, env });
  if (report === wholeReport) putStamp(reportStamp, sources);
  const told = read(report);
  const counts = countsOf(told);
  return {
    ...counts,
    failures: failuresIn(told),
    failed: ended.ok ? counts.failed : Math.max(1, counts.failed),
    output: ended.output,
  };
}

function read(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Each failing test in a line or two, for whoever sees only the end of a long output. */
function failuresIn(report) {
  const failing = (report?.testResults ?? []).filter(({ status }) => status === 'failed');
  return failing.flatMap(({ name, message, assertionResults }) => {
    const file = relative(inRoot('.'), name);
    if (assertionResults.length === 0) return [`${file}: ${firstLines(message)}`];
    const tests = assertionResults.filter(({ status }) => status === 'failed');
    return tests.map((test) => `${file} > ${test.fullName}: ${firstLines(test.failureMessages.join('\n'))}`);
  });
}

const firstLines = (text) => text.split('\n').slice(0, 4).join('\n  ').slice(0, 600);

/** A file that could not be loaded has no tests to fail, so it counts itself. */
function countsOf(report) {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
