/** Runs the assertions of a policy document. */
import type { DecisionOutcome, DecisionRequest } from './decision.ts';
import type { PolicyTest } from './document/test-reader.ts';
import type { Policy } from './policy.ts';

/** The result of one assertion. */
export interface PolicyTestResult {
  /** The assertion, with its line. */
  readonly test: PolicyTest;
  /** Whether the decision is the expected one. */
  readonly passed: boolean;
  /** The decision. */
  readonly outcome: DecisionOutcome;
  /** What was expected and what came, in one sentence. */
  readonly text: string;
}

/** The results of all assertions of a policy. */
export interface PolicyTestResults {
  /** Whether all passed. */
  readonly passed: boolean;
  /** The results, in the order of the document. */
  readonly results: readonly PolicyTestResult[];
}

/** Runs the `tests` of a policy document. Nothing is remembered for `explain`. */
export function runPolicyTests(policy: Policy): PolicyTestResults {
  const results = policy.tests.map((test): PolicyTestResult => {
    const outcome = policy.evaluate(test.request);
    const passed = test.expect === outcome.effect || test.expect === (outcome.rule ?? 'default');
    const text = `line ${test.line}: ${requestText(test.request)}: expected ${test.expect}, got ${outcomeText(outcome)}`;
    return { test, passed, outcome, text };
  });
  return { passed: results.every(({ passed }) => passed), results };
}

/** As in `call deploy as ada`. */
function requestText({ action, target, principal }: DecisionRequest): string {
  const names = Object.values(target).filter((name) => name !== undefined);
  return [action, ...names, ...(principal === undefined ? [] : ['as', principal.subject])].join(' ');
}

const outcomeText = ({ effect, rule }: DecisionOutcome): string =>
  rule === undefined ? `${effect}, because no rule allows it` : `${effect} by the rule ${rule}`;
