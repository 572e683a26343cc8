/** The newest decisions of a policy, so that each can be explained. */

import type { ConditionOutcome } from './condition.ts';
import type { Decision, DecisionOutcome, DecisionRequest } from './decision.ts';
import type { CompiledRule } from './evaluation/compiled-rule.ts';
import type { Question } from './evaluation/question.ts';

/** A decision as it is remembered: without arguments, which may be private and large, and without names that are too long. */
export interface RememberedDecision {
  readonly decision: Decision;
  readonly request: Omit<DecisionRequest, 'arguments'>;
  readonly evaluated: ReadonlyMap<string, ConditionOutcome> | undefined;
  /** All rules of the document that decided. A policy that is reloaded has several documents in its time. */
  readonly compiled: readonly CompiledRule[];
}

export class RecentDecisions {
  readonly #most: number;
  /** Distinguishes these decisions from those of other policies, and of other processes. Made by the first one: at module scope workerd has no random values. */
  #prefix: string | undefined;
  /** A ring: the newest decision takes the place of the oldest. */
  readonly #remembered: RememberedDecision[] = [];
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add({ input, evaluated }: Question, outcome: DecisionOutcome, compiled: readonly CompiledRule[]): Decision {
    const number = this.#count++;
    const { effect, rule, reason, remember, exactCall, approvers, expiresMs } = outcome;
    this.#prefix ??= crypto.randomUUID().replaceAll('-', '').slice(0, 16);
    const decisionId = `${this.#prefix}-${number.toString(36)}`;
    const decision: Decision = { effect, rule, reason, remember, exactCall, approvers, expiresMs, decisionId };
    const { principal, address, action } = input;
    const target = reason === 'name-too-long' ? {} : input.target;
    const request = { principal, address, action, target };
    this.#remembered[number % this.#most] = { decision, request, evaluated, compiled };
    return decision;
  }

  find(decisionId: string): RememberedDecision | undefined {
    const [prefix, digits = ''] = decisionId.split('-');
    if (prefix !== this.#prefix || !/^[0-9a-z]{1,11}$/.test(digits)) return undefined;
    const found = this.#remembered[Number.parseInt(digits, 36) % this.#most];
    return found?.decision.decisionId === decisionId ? found : undefined;
  }
}
