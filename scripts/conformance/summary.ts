/** What a run of the official suite comes to, held against the list of scenarios that are expected to fail. */

/** One finding of a scenario, as the suite writes it. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

export interface Scenario {
  readonly revision: string;
  readonly name: string;
  /** Absent where the suite left no results, as when it broke down. */
  readonly checks: readonly Check[] | undefined;
}

/** Why scenarios may fail: by revision, by name. */
export type Expected = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface Summary {
  readonly lines: readonly string[];
  readonly passed: number;
  readonly failed: number;
  /** Whether what failed is exactly what was expected to. */
  readonly ok: boolean;
}

type Standing = 'passed' | 'failed' | 'skipped';

export function summarize(scenarios: readonly Scenario[], expected: Expected): Summary {
  const judged = scenarios.map((scenario) => ({ scenario, standing: standingOf(scenario) }));
  const count = (standing: Standing): number => judged.filter((each) => each.standing === standing).length;
  const unexpected = judged.flatMap(({ scenario, standing }) => surpriseOf(scenario, standing, expected));
  const strangers = strangersIn(expected, scenarios);
  const lines = judged.flatMap(({ scenario, standing }) => lineOf(scenario, standing, expected));
  return {
    lines: [...lines, ...unexpected, ...strangers],
    passed: count('passed'),
    failed: count('failed'),
    ok: unexpected.length + strangers.length === 0,
  };
}

/** A warning is a failure too: it says that something which should be done is not. */
const isComplaint = ({ status }: Check): boolean => status === 'FAILURE' || status === 'WARNING';

function standingOf({ checks }: Scenario): Standing {
  if (checks === undefined || checks.some(isComplaint)) return 'failed';
  return checks.some(({ status }) => status === 'SUCCESS') ? 'passed' : 'skipped';
}

const whyOf = ({ revision, name }: Scenario, expected: Expected): string | undefined => expected[revision]?.[name];

function lineOf(scenario: Scenario, standing: Standing, expected: Expected): string[] {
  const { revision, name, checks } = scenario;
  if (standing === 'passed') return [];
  if (standing === 'skipped') return [`SKIPPED ${revision} ${name}: the suite judges nothing there`];
  const why = whyOf(scenario, expected);
  const found = checks?.filter(isComplaint).map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`);
  const text = why === undefined ? (found?.join('; ') ?? 'it left no results') : `expected: ${why}`;
  return [`FAILED  ${revision} ${name}: ${text}`];
}

function surpriseOf(scenario: Scenario, standing: Standing, expected: Expected): string[] {
  const { revision, name } = scenario;
  const isListed = whyOf(scenario, expected) !== undefined;
  if (standing === 'failed') return isListed ? [] : [`not expected to fail: ${revision} ${name}`];
  return isListed ? [`expected to fail, and does not: take ${revision} ${name} off the list`] : [];
}

/** Names on the list that nothing ran under. */
function strangersIn(expected: Expected, scenarios: readonly Scenario[]): string[] {
  const listed = Object.entries(expected).flatMap(([revision, names]) =>
    Object.keys(names).map((name) => ({ revision, name })),
  );
  const ran = (one: { revision: string; name: string }): boolean =>
    scenarios.some(({ revision, name }) => revision === one.revision && name === one.name);
  return listed
    .filter((one) => !ran(one))
    .map(({ revision, name }) => `on the list, and never run: take ${revision} ${name} off it`);
}
