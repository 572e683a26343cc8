/** The parts of a policy: actions, targets and rules. */
import type { RuleApprover } from '../../ports/approval.ts';

/** Every action that a rule can name. */
export const policyActions = ['list', 'call', 'read', 'subscribe', 'get', 'complete', 'sample', 'elicit'] as const;

/** What a caller does: `call` a tool, `read` or `subscribe` to a resource, `get` a prompt, `list` or `complete` any of them; a server that wants to `sample` or `elicit`. */
export type PolicyAction = (typeof policyActions)[number];

/** Every effect, in the order in which rules are asked. */
export const policyEffects = ['deny', 'ask', 'allow'] as const;

/** What a rule does with an action. */
export type PolicyEffect = (typeof policyEffects)[number];

/** What names a feature of a server. */
export const targetKinds = ['tool', 'resource', 'template', 'prompt'] as const;
export type TargetKind = (typeof targetKinds)[number];

/** What an action is done to: names exactly as the server registered them. */
export interface PolicyTarget {
  /** The name of the server, in a host or a gateway. */
  readonly server?: string | undefined;
  /** The name of a tool. */
  readonly tool?: string | undefined;
  /** The URI of a resource, in canonical form. A URI that is not canonical is denied. */
  readonly resource?: string | undefined;
  /** The URI template that the resource is read through. */
  readonly template?: string | undefined;
  /** The name of a prompt. */
  readonly prompt?: string | undefined;
}

/** The principals that a rule applies to. Each member that is set must match; of a list one entry. */
export interface RulePrincipals {
  /** Exact issuers of principals. */
  readonly issuer?: readonly string[];
  /** Exact subjects of principals. */
  readonly subject?: readonly string[];
  /** Scopes of the request. */
  readonly scope?: readonly string[];
  /** Roles of the principal. */
  readonly role?: readonly string[];
  /** OAuth clients. */
  readonly client?: readonly string[];
  /** Addresses and networks such as `10.0.0.0/8`. */
  readonly network?: readonly string[];
}

/** What a rule is about: patterns. A rule with several kinds of features is about each of them. */
export interface RuleTargets {
  /** Patterns of server names. */
  readonly server?: readonly string[];
  /** Patterns of tool names. */
  readonly tool?: readonly string[];
  /** Patterns of resource URIs. */
  readonly resource?: readonly string[];
  /** Patterns of URI templates. */
  readonly template?: readonly string[];
  /** Patterns of prompt names. */
  readonly prompt?: readonly string[];
}

/** How long an answer of the user to an `ask` rule holds: for one call, for the session, or for some milliseconds. */
export type Remember = 'once' | 'session' | { readonly forMs: number };

/** One rule, as the document has it. */
export interface PolicyRule {
  /** Names the rule in decisions and tests. */
  readonly id: string;
  /** What the rule does. */
  readonly effect: PolicyEffect;
  /** The actions it is about. */
  readonly actions: readonly PolicyAction[];
  /** Whose requests it is about: `any` includes callers without a principal, `authenticated` does not. */
  readonly to: 'any' | 'authenticated' | RulePrincipals;
  /** What it is about. */
  readonly on: 'any' | RuleTargets;
  /** The condition, in CEL. */
  readonly when?: string;
  /** For `ask`: how long the answer holds. Default `once`. */
  readonly remember?: Remember;
  /** For `ask`: the answer holds for the same arguments only. */
  readonly exactCall?: boolean;
  /** For `ask`: who approves a call. Default `caller`: the caller itself. */
  readonly approver?: 'caller' | RuleApprover;
  /** For `ask`: how long an approval can be given and used. */
  readonly expiresMs?: number;
  /** What the rule is for. */
  readonly description?: string;
  /** Where it is in the document, from 1. */
  readonly line: number;
  /** Where it is in the line, from 1. */
  readonly column: number;
}
