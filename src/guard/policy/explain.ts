/** Explains a decision. */
import type { DecisionExplanation, DenyReason, RuleComparison } from './decision.ts';
import { Question } from './evaluation/question.ts';
import { maxTargetChars } from './limits.ts';
import { uriProblem } from './matching/canonical-uri.ts';
import type { RememberedDecision } from './recent-decisions.ts';

/** Compares all rules of the action again, and takes the conditions from the decision itself: their arguments are not stored. */
export function explainDecision(
  { decision, request, evaluated, compiled }: RememberedDecision,
  outdated: boolean,
): DecisionExplanation {
  const question = new Question(request);
  const rules = compiled
    .filter(({ rule }) => rule.actions.includes(request.action))
    .map(({ rule, matchTo, matchOn }): RuleComparison => {
      const outcome = evaluated?.get(rule.id);
      return {
        rule: rule.id,
        effect: rule.effect,
        line: rule.line,
        to: matchTo(question),
        on: matchOn(question),
        ...(outcome !== undefined && { when: { text: rule.when ?? '', ...outcome } }),
      };
    });
  const named = rules.find(({ rule }) => rule === decision.rule);
  const text = named === undefined ? withoutRule(decision.reason, request, rules) : byRule(named);
  const older = outdated ? ' Lines are those of an older document.' : '';
  return { ...decision, request, text: text + older, rules, outdated };
}

function byRule({ rule, effect, line, to, on, when }: RuleComparison): string {
  const uncertain = [
    ...(to === 'failed' ? ['the address of the caller is not known'] : []),
    ...(on === 'failed' ? ['the URI has escapes, a query or a fragment and can be read in several ways'] : []),
    ...(when?.match === 'failed' ? [`its condition ${when.text} failed: ${when.reason}`] : []),
  ];
  const because = uncertain.length > 0 ? `, because ${uncertain.join(', and ')}` : '';
  const condition = when?.match === 'yes' ? `, because its condition ${when.text} is true` : '';
  return `Rule ${rule} (line ${line}): ${effect}${because}${condition}.`;
}

function withoutRule(
  reason: DenyReason | undefined,
  { action, target }: RememberedDecision['request'],
  rules: readonly RuleComparison[],
): string {
  if (reason === 'name-too-long') {
    return `Denied: a name or URI has more than ${maxTargetChars} characters.`;
  }
  const problem = target.resource === undefined ? undefined : uriProblem(target.resource);
  if (problem !== undefined) return `Denied: the URI ${problem}. Only canonical URIs are allowed.`;
  const unmet = rules.filter(({ effect, when }) => effect !== 'deny' && when !== undefined && when.match !== 'yes');
  const conditions = unmet.map(({ rule, line, when }) =>
    when?.match === 'failed'
      ? `the condition of rule ${rule} (line ${line}), ${when.text}, failed: ${when.reason}`
      : `the condition of rule ${rule} (line ${line}), ${when?.text}, is false`,
  );
  // Named, since a handler that asks its caller needs an action of its own: a rule with `call` does not allow `elicit`.
  return `Denied: no rule allows ${action}${conditions.map((one) => `; ${one}`).join('')}.`;
}
