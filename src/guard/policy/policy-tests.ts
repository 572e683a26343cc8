/** Runs the assertions of a policy document. */
import type { DecisionOutcome } from './decision.ts';
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
    const got = outcome.rule ?? 'default';
    const passed = test.expect === outcome.effect || test.expect === got;
    const text = `line ${test.line}: expected ${test.expect}, got ${outcome.effect} by ${got}`;
    return { test, passed, outcome, text };
  });
  return { passed: results.every(({ passed }) => passed), results };
}
