/** How a host has a call approved by another person than its user: `createApprovals` of `tenon/guard` does it. */
import type { MaybePromise } from '../lib/values/maybe-promise.ts';
import type { RuleApprover } from './approval.ts';
import type { PendingApproval } from './pending-approval.ts';
import type { Principal } from './principal.ts';

/** The part of a decision that approvals need. */
export interface AskingDecision {
  /** What was decided. */
  readonly effect: 'deny' | 'ask' | 'allow';
  /** Who may approve: one principal that all of them name. */
  readonly approvers?: readonly RuleApprover[];
}

/** An event of an approval, for an audit log. */
export interface ApprovalEvent {
  /** What happened. */
  readonly kind: 'approval-requested' | 'approval-decided' | 'approval-used';
  /** Who caused it, if that is not the caller of the log. */
  readonly who?: Readonly<Record<string, unknown>>;
  /** The approval, and the call that it is for. */
  readonly what?: Readonly<Record<string, unknown>>;
  /** What was decided, by which rule and by whom. */
  readonly decision?: Readonly<Record<string, unknown>>;
  /** Arguments and reasons. */
  readonly private?: Readonly<Record<string, unknown>>;
}

/** Where events of approvals are recorded. */
export interface ApprovalAudit {
  /** Before it happens. */
  begin(event: ApprovalEvent): MaybePromise<void>;
  /** After it has happened. */
  append(event: ApprovalEvent): MaybePromise<void>;
}

/** A call that a host is about to send. */
export interface CallToApprove {
  /** The name of the server in the host. */
  readonly server: string;
  /** The tool, by its name on the server. */
  readonly tool: string;
  /** The arguments that will be sent. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The user of the host. */
  readonly principal: Principal | undefined;
  /** What the policy decided. */
  readonly decision: AskingDecision & {
    /** Names the decision. */
    readonly decisionId: string;
    /** The rule that asks. */
    readonly rule: string | undefined;
    /** How long an approval holds, if the rule says so. */
    readonly expiresMs?: number | undefined;
  };
  /** What the policy decides now, right before the call is sent. */
  decideAgain(): AskingDecision;
  /** The tool as it is listed now. */
  definition(): object | undefined;
  /** Whether the call waits for the decision. */
  readonly waits: boolean;
  /** Cancels the call. */
  readonly signal: AbortSignal;
  /** Where it is recorded. Nothing is sent without its record. */
  readonly audit: ApprovalAudit;
  /** Called with what fails in the background. */
  onError(error: unknown): void;
}

/** What became of a call that needs an approval. */
export type ApprovalOutcome =
  /** Its approval was used: it may be sent now, once. */
  | { readonly is: 'approved' }
  | {
      readonly is: 'pending';
      /** What it waits for. */
      readonly approval: PendingApproval;
      /** The same in words. */
      readonly text: string;
    }
  | {
      readonly is: 'denied';
      /** Why, in words. */
      readonly text: string;
      /** Why, as a name such as `approval-denied`. */
      readonly reason: string;
    };

/** Has the calls of a host approved: the option `approvals` of `createHost`. */
export interface CallApprovals {
  /** Has a call approved. A host calls it right before it sends. */
  approve(call: CallToApprove): Promise<ApprovalOutcome>;
}
