/** The requests that a policy decides about, and its decisions. */

import type { RuleApprover } from '../../ports/approval.ts';
import type { Match } from './condition.ts';
import type { DecisionRequest } from './condition-values.ts';
import type { PolicyEffect, Remember } from './rule.ts';

export type { DecisionRequest };

/** Why something was denied that no rule denies. */
export type DenyReason = 'no-rule' | 'uri-not-canonical' | 'name-too-long';

/** What a policy decided, without an id. */
export interface DecisionOutcome {
  /** `ask` means: allowed if the user agrees. */
  readonly effect: PolicyEffect;
  /** The id of the rule; none where nothing allows the request. */
  readonly rule: string | undefined;
  /** Where there is no rule: why. */
  readonly reason: DenyReason | undefined;
  /** For `ask`: how long the answer holds. */
  readonly remember: Remember | undefined;
  /** For `ask`: whether the answer holds for the same arguments only. */
  readonly exactCall: boolean;
  /** For `ask`: whom the rules that match name as approvers. One principal must be named by all of them; without any, the caller approves. */
  readonly approvers: readonly RuleApprover[];
  /** For `ask`: how long an approval holds, if a rule says so: the shortest of them. */
  readonly expiresMs: number | undefined;
}

/** A decision. */
export interface Decision extends DecisionOutcome {
  /** Names the decision: `explain` takes it, and an audit record has it. */
  readonly decisionId: string;
}

/** How one rule was compared with a request. */
export interface RuleComparison {
  /** The id of the rule. */
  readonly rule: string;
  /** Its effect. */
  readonly effect: PolicyEffect;
  /** Where it is in the document. */
  readonly line: number;
  /** Whether its `to` is about the principal and address. */
  readonly to: Match;
  /** Whether its `on` is about the target. */
  readonly on: Match;
  /** What its condition was, where it was evaluated. */
  readonly when?: {
    /** The condition. */
    readonly text: string;
    /** Whether it holds. */
    readonly match: Match;
    /** Why it failed. */
    readonly reason?: string;
  };
}

/** Why a decision is what it is. */
export interface DecisionExplanation extends Decision {
  /** The request, without its arguments. */
  readonly request: Omit<DecisionRequest, 'arguments'>;
  /** The reason in words: the rule, its line, its condition. */
  readonly text: string;
  /** All rules with the action of the request, in the order of the document. */
  readonly rules: readonly RuleComparison[];
  /** Whether the policy was reloaded since: rules and lines are those of the older document. */
  readonly outdated: boolean;
}
