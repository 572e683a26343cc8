/** The audit events of approvals: requested, decided, used. */
import type { ApprovalEvent } from '../../ports/call-approvals.ts';
import type { AuditFields } from '../audit/record.ts';
import type { Decider, KnownApproval } from './approval.ts';

const whatOf = ({ stored, record: { server, tool, digest } }: KnownApproval): AuditFields => ({
  approval: stored.id,
  server,
  tool,
  digest,
});

/** `who` calls; `what` names the call. */
export const requestedEvent = (
  known: KnownApproval,
  who: AuditFields,
  what: AuditFields,
  decision: AuditFields,
): ApprovalEvent => ({
  kind: 'approval-requested',
  who,
  what: { ...whatOf(known), ...what, expiresAt: known.stored.expiresAt },
  decision,
  private: { arguments: known.record.arguments },
});

/** For an approval with a decision. */
export const decidedEvent = (known: KnownApproval): ApprovalEvent => {
  const { decision, rule } = known.record;
  const { reason } = decision ?? {};
  return {
    kind: 'approval-decided',
    ...(decision && { who: whoOf(decision.by) }),
    what: whatOf(known),
    decision: { outcome: decision?.is, rule },
    ...(reason !== undefined && { private: { reason } }),
  };
};

/** It says who approved as well: their own record may be in the log of another node. */
export const usedEvent = (
  known: KnownApproval,
  who: AuditFields,
  what: AuditFields,
  decision: AuditFields,
): ApprovalEvent => {
  const { by, at } = known.record.decision ?? {};
  return {
    kind: 'approval-used',
    who,
    what: { ...whatOf(known), ...what },
    decision: { ...decision, ...(by && { approvedBy: whoOf(by) }), approvedAt: at },
  };
};

const whoOf = (by: Decider): AuditFields =>
  by.operator !== undefined
    ? { operator: by.operator }
    : {
        principal: by.key,
        issuer: by.issuer,
        subject: by.subject,
        client: by.client,
        scopes: by.scopes,
        roles: by.roles,
      };
