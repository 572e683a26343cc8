/** What a host needs of a policy. `createPolicy` and `policyFile` of `tenon/guard` make one. */
import type { RuleApprover } from '../../ports/approval.ts';
import type { Principal } from '../../ports/principal.ts';

/** What the user or a server does: `sample` and `elicit` are requests of servers. */
export type HostAction = 'list' | 'call' | 'read' | 'subscribe' | 'get' | 'complete' | 'sample' | 'elicit';

/** What it is done to. Names and URIs are those of the server, without prefix. */
export interface HostActionTarget {
  /** The name of the server in the host. */
  readonly server: string;
  /** The name of a tool. */
  readonly tool?: string;
  /** The URI of a resource. */
  readonly resource?: string;
  /** A URI template. */
  readonly template?: string;
  /** The name of a prompt. */
  readonly prompt?: string;
}

/** What a policy decides about. */
export interface HostPolicyRequest {
  /** The user; absent without the option `principal`. */
  readonly principal?: Principal | undefined;
  /** What is done. */
  readonly action: HostAction;
  /** What it is done to. */
  readonly target: HostActionTarget;
  /** The arguments of a tool or prompt. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/** How long an answer of the user holds: for one call, until the host closes, or for some milliseconds. */
export type ConsentDuration = 'once' | 'session' | { readonly forMs: number };

/** A decision of a policy. */
export interface HostPolicyDecision {
  /** `ask` means: allowed if the user agrees. */
  readonly effect: 'deny' | 'ask' | 'allow';
  /** Names the decision, for `host.explain`. */
  readonly decisionId: string;
  /** The id of the rule; none where no rule allows it. */
  readonly rule: string | undefined;
  /** For `ask`: how long the answer holds. Default `once`. */
  readonly remember?: ConsentDuration | undefined;
  /** For `ask`: whether the answer holds for the same arguments only. */
  readonly exactCall?: boolean;
  /** For `ask`: who approves a tool call, if not the user. */
  readonly approvers?: readonly RuleApprover[];
  /** For `ask`: how long such an approval holds. */
  readonly expiresMs?: number | undefined;
}

/** Why a decision is what it is. */
export interface HostExplanation extends HostPolicyDecision {
  /** The reason in words: the rule, its line, its condition. */
  readonly text: string;
}

/** Decides what the user and the servers of a host may do. */
export interface HostPolicy {
  /** Decides, and remembers the decision for `explain`. */
  decide(request: HostPolicyRequest): HostPolicyDecision;
  /** What `decide` would return, without an id. Nothing is remembered. */
  evaluate(request: HostPolicyRequest): Pick<HostPolicyDecision, 'effect' | 'approvers'>;
  /** Why a decision is what it is. */
  explain(decisionId: string): HostExplanation | undefined;
  /** Calls the listener whenever the rules have changed: the host then reports that all lists changed. */
  onChange?(listener: () => void): unknown;
}
