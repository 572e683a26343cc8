/** The guard: permissions of callers. */
export type { Principal } from '../server/ports/principal.ts';
export type { Match } from './policy/conditions/condition.ts';
export type {
  Decision,
  DecisionExplanation,
  DecisionOutcome,
  DecisionRequest,
  DenyReason,
  RuleComparison,
} from './policy/decision.ts';
export type { PolicyProblem } from './policy/document/source.ts';
export type { PolicyTest } from './policy/document/test-reader.ts';
export { createPolicy, type Policy, type PolicyOptions } from './policy/policy.ts';
export { type PolicyTestResult, type PolicyTestResults, runPolicyTests } from './policy/policy-tests.ts';
export { type DecisionChange, type DecisionRecord, replayDecisions } from './policy/replay.ts';
export {
  type PolicyAction,
  type PolicyEffect,
  type PolicyRule,
  type PolicyTarget,
  policyActions,
  policyEffects,
  type Remember,
  type RulePrincipals,
  type RuleTargets,
} from './policy/rule.ts';
