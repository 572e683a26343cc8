/** Summarizes a run of the official suite and compares it with the list of expected failures. */

/** One check of a scenario, as the suite writes it. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

export interface Scenario {
  /** Its revision, or the name of the run, which begins with it. */
  readonly revision: string;
  readonly name: string;
  /** `undefined` where the suite wrote no results, for example after a crash. */
  readonly checks: readonly Check[] | undefined;
}

/** The reasons of expected failures, by revision and name. */
export type Expected = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The reasons for each run. What stands under the beginning of their names holds for all that begin so. */
export function expectedOf(listed: Expected, runs: readonly string[]): Expected {
  const groupsOf = (run: string) => Object.keys(listed).filter((group) => `${run} `.startsWith(`${group} `));
  const stale = Object.keys(listed).filter((group) => !runs.some((run) => groupsOf(run).includes(group)));
  const of = (run: string) => Object.assign({}, ...groupsOf(run).map((group) => listed[group]));
  return {
    ...Object.fromEntries(runs.map((run) => [run, of(run)])),
    ...Object.fromEntries(stale.map((group) => [group, listed[group] ?? {}])),
  };
}

export interface Summary {
  readonly lines: readonly string[];
  readonly passed: number;
  readonly failed: number;
  /** Whether exactly the expected scenarios failed. */
  readonly ok: boolean;
}

type Outcome = 'passed' | 'failed' | 'skipped';

export function summarize(scenarios: readonly Scenario[], expected: Expected): Summary {
  const results = scenarios.map((scenario) => ({ scenario, outcome: outcomeOf(scenario) }));
  const count = (outcome: Outcome): number => results.filter((each) => each.outcome === outcome).length;
  const unexpected = results.flatMap(({ scenario, outcome }) => unexpectedOf(scenario, outcome, expected));
  const notRun = notRunIn(expected, scenarios);
  const lines = results.flatMap(({ scenario, outcome }) => lineOf(scenario, outcome, expected));
  return {
    lines: [...lines, ...unexpected, ...notRun],
    passed: count('passed'),
    failed: count('failed'),
    ok: unexpected.length + notRun.length === 0,
  };
}

/** A warning counts as a failure too: it marks a SHOULD that is not met. */
const isFailure = ({ status }: Check): boolean => status === 'FAILURE' || status === 'WARNING';

function outcomeOf({ checks }: Scenario): Outcome {
  if (checks === undefined || checks.some(isFailure)) return 'failed';
  return checks.some(({ status }) => status === 'SUCCESS') ? 'passed' : 'skipped';
}

const whyOf = ({ revision, name }: Scenario, expected: Expected): string | undefined => expected[revision]?.[name];

function lineOf(scenario: Scenario, outcome: Outcome, expected: Expected): string[] {
  const { revision, name, checks } = scenario;
  if (outcome === 'passed') return [];
  if (outcome === 'skipped') return [`SKIPPED ${revision} ${name}: the suite checked nothing`];
  const why = whyOf(scenario, expected);
  const found = checks?.filter(isFailure).map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`);
  const text = why === undefined ? (found?.join('; ') ?? 'no results') : `expected: ${why}`;
  return [`FAILED  ${revision} ${name}: ${text}`];
}

function unexpectedOf(scenario: Scenario, outcome: Outcome, expected: Expected): string[] {
  const { revision, name } = scenario;
  const isListed = whyOf(scenario, expected) !== undefined;
  if (outcome === 'failed') return isListed ? [] : [`not expected to fail: ${revision} ${name}`];
  return isListed ? [`expected to fail, but passed: remove ${revision} ${name} from the list`] : [];
}

/** Listed scenarios that did not run. */
function notRunIn(expected: Expected, scenarios: readonly Scenario[]): string[] {
  const listed = Object.entries(expected).flatMap(([revision, names]) =>
    Object.keys(names).map((name) => ({ revision, name })),
  );
  const ran = (one: { revision: string; name: string }): boolean =>
    scenarios.some(({ revision, name }) => revision === one.revision && name === one.name);
  return listed
    .filter((one) => !ran(one))
    .map(({ revision, name }) => `listed, but not run: remove ${revision} ${name} from the list`);
}
