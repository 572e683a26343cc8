/** Which effects a request can have when its arguments or claims are not known. */

import type { Match } from '../condition.ts';
import type { PolicyEffect } from '../rule.ts';
import { type CompiledRule, matchRule } from './compiled-rule.ts';
import type { Question } from './question.ts';

/** Follows the order of a decision, and takes each rule that depends on unknown values as one that may hold or not. */
export function possibleEffects(compiled: readonly CompiledRule[], question: Question): readonly PolicyEffect[] {
  const { action } = question.input;
  const matches = {
    deny: new Set<Match | 'unknown'>(),
    ask: new Set<Match | 'unknown'>(),
    allow: new Set<Match | 'unknown'>(),
  };
  for (const one of compiled) {
    if (one.rule.actions.includes(action)) matches[one.rule.effect].add(matchOf(one, question));
  }
  const { deny, ask, allow } = matches;
  if (deny.has('yes') || deny.has('failed')) return ['deny'];
  const possible = new Set<PolicyEffect>();
  if (deny.has('unknown')) possible.add('deny');
  if (ask.has('yes')) return [...possible.add('ask')];
  if (ask.has('unknown')) possible.add('ask');
  if (allow.has('yes') || allow.has('unknown')) possible.add(ask.has('failed') ? 'ask' : 'allow');
  if (!allow.has('yes')) possible.add('deny');
  return [...possible];
}

function matchOf(one: CompiledRule, question: Question): Match | 'unknown' {
  const match = matchRule(one, question);
  const { condition, rule } = one;
  if (match !== 'failed' || condition === undefined) return match;
  // A condition that fails now may hold once the values are known.
  const reads =
    (question.unknown?.arguments === true && condition.reads('args')) ||
    (question.unknown?.claims === true && condition.reads('principal'));
  return reads && question.evaluated?.get(rule.id)?.match === 'failed' ? 'unknown' : match;
}
