/** Compares past decisions with those of another policy. */
import type { DecisionOutcome } from './decision.ts';
import {
  type DecisionFields,
  type DecisionRecord,
  type DecisionWithoutRequest,
  readDecision,
} from './decision-record.ts';
import type { Policy } from './policy.ts';
import { type PolicyEffect, policyEffects } from './rule.ts';

/** A past decision that another policy decides differently, or may. */
export interface DecisionChange {
  /** The past decision, with its request where that is known. */
  readonly record: DecisionRecord | DecisionWithoutRequest;
  /** What the other policy decides; `undefined` where it cannot be known. */
  readonly outcome: DecisionOutcome | undefined;
  /** The effects that are possible: one, or several where it cannot be known. */
  readonly effects: readonly PolicyEffect[];
  /** The change in one sentence. */
  readonly text: string;
}

/**
 * Yields the past decisions whose effect another policy would change, in their order; and those of which it cannot be known, because
 * private values are not stored or were not asked for. Reads one record at a time; records without a decision are skipped.
 */
export async function* replayDecisions(
  records: Iterable<DecisionFields | DecisionRecord> | AsyncIterable<DecisionFields | DecisionRecord>,
  policy: Policy,
): AsyncGenerator<DecisionChange, void, undefined> {
  for await (const one of records) {
    const record = 'decisionId' in one ? one : readDecision(one);
    const change = record && changeOf(record, policy);
    if (change !== undefined) yield change;
  }
}

function changeOf(record: DecisionRecord | DecisionWithoutRequest, policy: Policy): DecisionChange | undefined {
  if (!('action' in record)) return cannotBeKnown(record, policyEffects, 'request');
  const { unknown } = record;
  if (unknown !== undefined) {
    const effects = policy.possibleEffects(record, unknown);
    const missing = [...(unknown.arguments ? ['arguments'] : []), ...(unknown.claims ? ['claims'] : [])];
    if (effects.length > 1) return cannotBeKnown(record, effects, missing.join(' and '));
  }
  const outcome = policy.evaluate(record);
  if (outcome.effect === record.effect) return undefined;
  const by = outcome.rule === undefined ? `default (${outcome.reason})` : `rule ${outcome.rule}`;
  const text = `${pastDecisionText(record)}, and would be ${outcome.effect} by ${by}.`;
  return { record, outcome, effects: [outcome.effect], text };
}

function cannotBeKnown(
  record: DecisionChange['record'],
  effects: readonly PolicyEffect[],
  missing: string,
): DecisionChange {
  const text = `${pastDecisionText(record)}; the new decision is unknown: the record has no ${missing}.`;
  return { record, outcome: undefined, effects, text };
}

const pastDecisionText = ({ decisionId, effect, rule }: DecisionChange['record']): string =>
  `Decision ${decisionId} was ${effect} by ${rule === undefined ? 'default' : `rule ${rule}`}`;
