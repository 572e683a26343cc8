/** `guarded.approvals`: where approvers list, read and decide. Also the part of a guard that has calls approved. */
import { wrong } from '../../lib/options/option-rules.ts';
import type { ApprovalAudit } from '../../ports/call-approvals.ts';
import { createPrincipal, type PrincipalDetails, principalProblem } from '../../ports/principal.ts';
import { type Approval, type Decider, deciderOf, shownApproval, typedId } from './approval.ts';
import { decidedEvent } from './events.ts';
import { mayRead } from './may-decide.ts';
import { maxListed, maxReasonChars } from './options.ts';
import { notFound } from './problems.ts';
import type { StoredApprovals } from './stored-approvals.ts';

/** Who decides: a name, or `{ issuer, subject, scopes, roles }`, as `authenticate` of a server returns it. */
export type Approver = string | PrincipalDetails;

/** Where approvers decide about calls. */
export interface Approvals {
  /** The approvals that wait for a decision of this principal, the oldest first: at most 200. */
  list(by: Approver): Promise<readonly Approval[]>;
  /** An approval that this principal may decide, or has requested. Throws `approval-not-found`. */
  get(id: string, by: Approver): Promise<Approval>;
  /**
   * Decides once. Throws `approval-not-found`, `approval-decided` if another one was faster, and `permission-denied` for a
   * call of this principal that another one has to approve.
   */
  decide(id: string, decision: 'approve' | 'deny', by: Approver, reason?: string): Promise<Approval>;
}

export function approvalsOn(stored: StoredApprovals, audit: Pick<ApprovalAudit, 'append'> | undefined): Approvals {
  return {
    list: async (by) => listFor(stored, readApprover(by), 'waiting'),
    get: async (id, by) => readFor(stored, id, readApprover(by)),
    decide: async (id, decision, by, reason) => decideFor(stored, audit, id, decision, readApprover(by), reason),
  };
}

export const listFor = async (
  stored: StoredApprovals,
  by: Decider,
  which: 'waiting' | 'all',
): Promise<readonly Approval[]> => (await stored.list(by, which, maxListed)).map(shownApproval);

export async function readFor(stored: StoredApprovals, id: string, by: Decider): Promise<Approval> {
  const known = await stored.read(typedId(id));
  if (known === undefined || !mayRead(by, known.record)) throw notFound(typedId(id));
  return shownApproval(known);
}

export async function decideFor(
  stored: StoredApprovals,
  audit: Pick<ApprovalAudit, 'append'> | undefined,
  id: string,
  decision: 'approve' | 'deny',
  by: Decider,
  reason: string | undefined,
): Promise<Approval> {
  if (decision !== 'approve' && decision !== 'deny') throw wrong('approvals', 'decision', "be 'approve' or 'deny'");
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > maxReasonChars))
    throw wrong('approvals', 'reason', `be a text of at most ${maxReasonChars} characters`);
  const known = await stored.decide(typedId(id), decision, by, reason, audit !== undefined);
  await audit?.append(decidedEvent(known));
  return shownApproval(known);
}

/** Throws `invalid-argument`. */
function readApprover(by: Approver): Decider {
  const isDetails = typeof by === 'object' && by !== null && principalProblem(by) === undefined;
  if (!isDetails && (typeof by !== 'string' || by === ''))
    throw wrong('approvals', 'by', 'be a name, or an object with issuer and subject');
  return deciderOf(createPrincipal(by));
}
