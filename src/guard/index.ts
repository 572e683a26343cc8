/** Guarding servers and hosts: permissions of callers and the audit log. */

export type { RuleApprover } from '../ports/approval.ts';
export type {
  ApprovalAudit,
  ApprovalEvent,
  ApprovalOutcome,
  AskingDecision,
  CallApprovals,
  CallToApprove,
} from '../ports/call-approvals.ts';
export type {
  AddedItem,
  ApprovedServer,
  ChangedItem,
  ListedKind,
  Lock,
  LockComparison,
  LockedField,
  LockedItem,
  SeenServer,
  ServerIdentity,
} from '../ports/lock.ts';
export type { PendingApproval } from '../ports/pending-approval.ts';
export type { Approval, ApprovalDecision, ApprovalUser } from './approvals/approval.ts';
export type { Approvals, Approver } from './approvals/approvals.ts';
export { createApprovals, type HostApprovals } from './approvals/create-approvals.ts';
export { type ApprovalHandlerOptions, toApprovalHandler } from './approvals/handler.ts';
export type { ApprovalOptions } from './approvals/options.ts';
export type { AuditAnchor } from './audit/anchoring.ts';
export type { AuditLog } from './audit/audit-log.ts';
export { type AuditCheckpoint, type AuditKey, createAuditKey } from './audit/checkpoint.ts';
export type { AuditEvent, AuditEventKind, AuditFields, AuditKind, AuditRecord } from './audit/record.ts';
export type { AuditQuery, FoundRecord, RedactionQuery } from './audit/search.ts';
export type { AuditProblem, InvalidAudit, ValidAudit } from './audit/verify.ts';
export type { CallCost } from './limits/options.ts';
export type { LimitOptions, Rate, ToolLimitOptions } from './limits/rate.ts';
export { createLock, type LockStorage } from './lock/lock.ts';
export type { LockOptions } from './lock/options.ts';
export type { Match } from './policy/condition.ts';
export type { UnknownValues } from './policy/condition-values.ts';
export type {
  Decision,
  DecisionExplanation,
  DecisionOutcome,
  DecisionRequest,
  DenyReason,
  RuleComparison,
} from './policy/decision.ts';
export type { DecisionFields, DecisionRecord, DecisionWithoutRequest } from './policy/decision-record.ts';
export type { PolicyProblem } from './policy/document/problems.ts';
export type { PolicyTest } from './policy/document/test-reader.ts';
export type { PolicyOptions } from './policy/options.ts';
export { createPolicy, type Policy, type VisibleRequest } from './policy/policy.ts';
export { type PolicyTestResult, type PolicyTestResults, runPolicyTests } from './policy/policy-tests.ts';
export { type DecisionChange, replayDecisions } from './policy/replay.ts';
export {
  type PolicyAction,
  type PolicyEffect,
  type PolicyRule,
  type PolicyTarget,
  policyActions,
  policyEffects,
  type Remember,
  type RulePrincipals,
  type RuleTargets,
} from './policy/rule.ts';
export { type Guard, guard } from './server/guard.ts';
export type { ChangingPolicy, GuardOptions, PolicyVersions } from './server/options.ts';
