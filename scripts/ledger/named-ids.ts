/** Finds the requirement ids that the tests of a vitest report name in square brackets. */

export interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly ReportedTest[] }[];
}

export interface ReportedTest {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
}

/** An id starts like one; `[0]` or `[a, b]` in a name is no id, while a misspelt id still is one and is found out. */
const idStart = /^(?:s-|e-|ext-|S\d)/;

/** The ids in one name: `[e-http-12]`, `[s-base-07@REVISION]`, `[S20, e-http-12]`. */
export function idsInName(name: string): string[] {
  return [...name.matchAll(/\[([^[\]]+)\]/g)]
    .map(([, inside = '']) => inside.split(/[\s,]+/).filter((id) => id !== ''))
    .filter((ids) => ids.some((id) => idStart.test(id)))
    .flat();
}

/** The ids that at least one passed test names and no failed one. */
export function provedIds(report: Report): Set<string> {
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  const proved = idsOf(tests.filter((test) => test.status === 'passed'));
  for (const id of idsOf(tests.filter((test) => test.status === 'failed'))) proved.delete(id);
  return proved;
}

/** Every id that any test names, whatever came of the test. */
export function mentionedIds(report: Report): Set<string> {
  return idsOf(report.testResults.flatMap((file) => file.assertionResults));
}

function idsOf(tests: readonly ReportedTest[]): Set<string> {
  return new Set(tests.flatMap((test) => [...test.ancestorTitles, test.title].flatMap(idsInName)));
}
