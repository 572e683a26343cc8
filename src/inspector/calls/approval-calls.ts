/** Calls of the page about approvals: as the approver whom the options name. */
import type { Approval } from '../../guard/approvals/approval.ts';
import type { Rule } from '../../lib/options/option-rules.ts';
import { shownJson } from '../../lib/text/exact-json.ts';
import type { WaitingApproval } from '../api/approvals.ts';
import { InspectorError } from '../api-error.ts';
import type { CallTable, InspectorParts } from './call.ts';
import { text } from './field-rules.ts';

const decision: Rule = { holds: (value) => value === 'approve' || value === 'deny', must: "be 'approve' or 'deny'" };

export const approvalCalls: CallTable<'approvals' | 'decide'> = {
  approvals: {
    required: {},
    async run(_, parts) {
      const { from, approver } = approvalsOf(parts);
      return { approvals: (await from.list(approver)).map(waiting) };
    },
  },
  decide: {
    required: { approval: text, decision },
    async run({ approval, decision: is }, parts) {
      const { from, approver } = approvalsOf(parts);
      await from.decide(approval, is, approver);
      return {};
    },
  },
};

function approvalsOf({ approvals }: InspectorParts): NonNullable<InspectorParts['approvals']> {
  if (approvals === undefined) throw new InspectorError('unknown-call', 'This inspector has no approvals.');
  return approvals;
}

const waiting = (approval: Approval): WaitingApproval => ({
  id: approval.id,
  tool: approval.tool,
  server: approval.server,
  ...(approval.requester && { caller: approval.requester.subject }),
  arguments: shownJson(approval.arguments),
  ...('validated' in approval && { validated: shownJson(approval.validated) }),
  ...(approval.rule !== undefined && { rule: approval.rule }),
  expiresAt: approval.expiresAt,
});
