/** Approvals as pages: what of them a person reads, and how. */
import { approvalListPage, approvalPage, type ShownCall } from '../../auth-pages/index.ts';
import { shownJson } from '../../lib/text/exact-json.ts';
import type { Approval, ApprovalUser } from './approval.ts';
import type { Approver } from './approvals.ts';
import { maxReasonChars } from './options.ts';
import { timeText } from './texts.ts';

const subjectOf = (by: Approver): string => (typeof by === 'string' ? by : by.subject);

export const listView = (waiting: readonly Approval[], path: string, by: Approver): string =>
  approvalListPage({ user: subjectOf(by), calls: waiting.map((one) => shownCall(one, path)) });

export function viewOf(approval: Approval, path: string, by: Approver): string {
  const { state, decision, usedAt, rule, approvers } = approval;
  return approvalPage({
    call: shownCall(approval, path),
    list: path,
    arguments: shownJson(approval.arguments),
    ...('validated' in approval && { validated: shownJson(approval.validated) }),
    rule,
    requestedAt: timeText(approval.createdAt),
    digest: approval.digest,
    ...(state !== 'waiting' &&
      decision && {
        decided: {
          state,
          by: nameOf(decision.by),
          at: timeText(decision.at),
          reason: decision.reason,
          ...(usedAt !== undefined && { usedAt: timeText(usedAt) }),
        },
      }),
    // Only its approvers and its caller can read it.
    mayDecide: approvers.length === 0 || !isRequester(by, approval),
    maxReasonChars,
  });
}

function isRequester(by: Approver, { requester }: Approval): boolean {
  const issuer = typeof by === 'string' ? '' : by.issuer;
  return requester?.subject === subjectOf(by) && requester.issuer === issuer;
}

const maxGivenChars = 120;

const shownCall = (
  { id, server, tool, arguments: given, requester, expiresAt }: Approval,
  path: string,
): ShownCall => ({
  id,
  address: `${path}/${id}`,
  server,
  tool,
  given: oneLine(shownJson(given)),
  requester: requester && { name: requester.subject, issuer: requester.issuer, client: requester.client },
  openUntil: timeText(expiresAt),
});

/** Line breaks are those of the indentation. */
function oneLine(json: string): string {
  const text = json.replaceAll(/\n */g, ' ');
  return text.length > maxGivenChars ? `${text.slice(0, maxGivenChars)}…` : text;
}

const nameOf = ({ issuer, subject }: ApprovalUser): string => (issuer === '' ? subject : `${subject} (${issuer})`);
