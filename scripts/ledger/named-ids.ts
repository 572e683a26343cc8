/** Finds the requirement ids that the tests of a vitest report name in square brackets. */

export interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly ReportedTest[] }[];
}

export interface ReportedTest {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
}

/** One report of all tiers: an id that fails in one of them is not proved. */
export const merged = (reports: readonly Report[]): Report => ({
  testResults: reports.flatMap((report) => report.testResults),
});

/** The start of an id: `[0]` or `[a, b]` in a name is not an id, but a misspelt id is, so that it is reported. */
const idStart = /^(?:s-|e-|ext-|S\d)/;

/** The ids in one name: `[e-http-12]`, `[s-base-07@REVISION]`, `[S20, e-http-12]`. */
export function idsInName(name: string): string[] {
  return [...name.matchAll(/\[([^[\]]+)\]/g)]
    .map(([, inside = '']) => inside.split(/[\s,]+/).filter((id) => id !== ''))
    .filter((ids) => ids.some((id) => idStart.test(id)))
    .flat();
}

/** The ids in the name of a passed test and of no failed test. */
export function provedIds(report: Report): Set<string> {
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  const proved = idsOf(tests.filter((test) => test.status === 'passed'));
  for (const id of idsOf(tests.filter((test) => test.status === 'failed'))) proved.delete(id);
  return proved;
}

/** Every id in the name of any test. */
export function mentionedIds(report: Report): Set<string> {
  return idsOf(report.testResults.flatMap((file) => file.assertionResults));
}

function idsOf(tests: readonly ReportedTest[]): Set<string> {
  return new Set(tests.flatMap((test) => [...test.ancestorTitles, test.title].flatMap(idsInName)));
}
