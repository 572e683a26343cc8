/** Adds up the results of a test command and prints them as its last line. */

/** In CI everything that tests need must be installed; elsewhere its tests are skipped with the reason. */
export const isCi = process.env.CI !== undefined && process.env.CI !== '' && process.env.CI !== 'false';

export function createTotals() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failures = [];
  return {
    /** Adds the results of one run of the suite. */
    add(results) {
      failures.push(...results.failures);
      for (const kind of Object.keys(counts)) counts[kind] += results[kind];
    },
    /** A check that fails counts as a failed test, so that the last line shows it. */
    addFailures(count) {
      counts.failed += count;
    },
    /** Something that tests need is not installed. */
    missing(what, reason) {
      if (isCi) counts.failed += 1;
      console.log(`${isCi ? 'FAILED' : 'SKIPPED'}: ${what}: ${reason}`);
    },
    print() {
      for (const failure of failures) console.log(`failed: ${failure}`);
      if (counts.failed > 0) process.exitCode = 1;
      console.log(`tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    },
  };
}

/** Runs a test command. The last line always has the totals. */
export async function withTotals(command) {
  const totals = createTotals();
  try {
    await command(totals);
  } catch (error) {
    console.log(error.message);
    totals.addFailures(1);
  }
  totals.print();
}
