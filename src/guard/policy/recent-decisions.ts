/** The newest decisions of a policy, so that each can be explained. */
import type { Question } from './compiled-rule.ts';
import type { ConditionOutcome } from './conditions/condition.ts';
import type { Decision, DecisionOutcome, DecisionRequest } from './decision.ts';

/** A decision as it is remembered: without arguments, which may be private and large. */
export interface RememberedDecision {
  readonly decision: Decision;
  readonly request: Omit<DecisionRequest, 'arguments'>;
  readonly evaluated: ReadonlyMap<string, ConditionOutcome> | undefined;
}

export class RecentDecisions {
  readonly #most: number;
  /** Distinguishes the decisions of this policy from those of others, and of other processes. */
  readonly #prefix = crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  /** A ring: the newest decision takes the place of the oldest. */
  readonly #remembered: RememberedDecision[] = [];
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add({ input, evaluated }: Question, outcome: DecisionOutcome): Decision {
    const number = this.#count++;
    const { effect, rule, reason, remember, exactCall } = outcome;
    const decisionId = `${this.#prefix}-${number.toString(36)}`;
    const decision: Decision = { effect, rule, reason, remember, exactCall, decisionId };
    const { principal, address, action, target } = input;
    this.#remembered[number % this.#most] = { decision, request: { principal, address, action, target }, evaluated };
    return decision;
  }

  find(decisionId: string): RememberedDecision | undefined {
    const [prefix, digits = ''] = decisionId.split('-');
    if (prefix !== this.#prefix || !/^[0-9a-z]{1,11}$/.test(digits)) return undefined;
    const found = this.#remembered[Number.parseInt(digits, 36) % this.#most];
    return found?.decision.decisionId === decisionId ? found : undefined;
  }
}
