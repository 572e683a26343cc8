/** Tool calls of a host that another person than its user has to approve. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { ApprovalOutcome } from '../../ports/call-approvals.ts';
import type { HostPolicyDecision } from './policy.ts';

/** Whether a rule asks another person than the user of the host. */
export const asksAnother = (permission: HostPolicyDecision | undefined): permission is HostPolicyDecision =>
  permission?.effect === 'ask' && (permission.approvers ?? []).length > 0;

/** The user must not decide in place of another person. */
export const noApprovals = (server: string, tool: string, { decisionId, rule }: HostPolicyDecision): TenonError =>
  new TenonError('consent-denied', `The tool ${tool} of ${server} was not called: another person has to approve it.`, {
    hint: 'Pass approvals: createApprovals({ store }) of tenon/guard to createHost.',
    details: { server, tool, by: 'no-approvals', decisionId, rule },
  });

/** The caller has cancelled the call while it waited. What it waited for stays open for the next one. */
export const cancelledWait = (server: string, tool: string): TenonError =>
  new TenonError('cancelled', `The tool ${tool} of ${server} was not called: the call was cancelled.`, {
    details: { server, tool },
  });

/** The error of a call that was not sent. */
export function notApproved(
  server: string,
  tool: string,
  outcome: Exclude<ApprovalOutcome, { is: 'approved' }>,
): TenonError {
  if (outcome.is === 'pending')
    return new TenonError('approval-pending', outcome.text, { details: { server, tool, approval: outcome.approval } });
  return new TenonError('approval-denied', outcome.text, { details: { server, tool, reason: outcome.reason } });
}
