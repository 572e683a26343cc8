/** Compares past decisions with those of another policy. */
import type { DecisionOutcome, DecisionRequest } from './decision.ts';
import type { Policy } from './policy.ts';
import type { PolicyEffect } from './rule.ts';

/** A past decision with its request, as an audit record has them. */
export interface DecisionRecord extends DecisionRequest {
  /** Names the decision. */
  readonly decisionId: string;
  /** What was decided. */
  readonly effect: PolicyEffect;
  /** The id of the rule. */
  readonly rule?: string | undefined;
}

/** A past decision that another policy decides differently. */
export interface DecisionChange {
  /** The past decision. */
  readonly record: DecisionRecord;
  /** What the other policy decides. */
  readonly outcome: DecisionOutcome;
  /** The record has no arguments, and a condition may have needed them: the outcome is the strict one. */
  readonly uncertain: boolean;
}

/** Yields the past decisions whose effect another policy would change, in their order. Nothing is remembered for `explain`. */
export async function* replayDecisions(
  records: Iterable<DecisionRecord> | AsyncIterable<DecisionRecord>,
  policy: Policy,
): AsyncGenerator<DecisionChange, void, undefined> {
  const conditional = new Set(policy.rules.flatMap(({ when, actions }) => (when === undefined ? [] : actions)));
  for await (const record of records) {
    const outcome = policy.evaluate(record);
    if (outcome.effect === record.effect) continue;
    yield { record, outcome, uncertain: record.arguments === undefined && conditional.has(record.action) };
  }
}
