/** Which effects a request can have when its arguments or claims are not known. */

import type { Match } from '../condition.ts';
import { type PolicyEffect, policyEffects } from '../rule.ts';
import { matchRule } from './compiled-rule.ts';
import type { Question } from './question.ts';
import type { RuleAbout, RulesAbout } from './rule-index.ts';

/** Follows the order of a decision, and takes each rule that depends on unknown values as one that may hold or not. */
export function possibleEffects(about: RulesAbout, question: Question): readonly PolicyEffect[] {
  const matches = {
    deny: new Set<Match | 'unknown'>(),
    ask: new Set<Match | 'unknown'>(),
    allow: new Set<Match | 'unknown'>(),
  };
  for (const effect of policyEffects) for (const one of about[effect]) matches[effect].add(matchOf(one, question));
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

function matchOf({ one, on }: RuleAbout, question: Question): Match | 'unknown' {
  const match = matchRule(one, on, question);
  const { condition, rule } = one;
  if (match !== 'failed' || condition === undefined) return match;
  // A condition that fails now may hold once the values are known.
  const reads =
    (question.unknown?.arguments === true && condition.reads('args')) ||
    (question.unknown?.claims === true && condition.reads('principal'));
  return reads && question.evaluated?.get(rule.id)?.match === 'failed' ? 'unknown' : match;
}
