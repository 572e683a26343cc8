/** The option `approvals` of the inspector: whose approvals it shows, and who decides in its page. */

import type { Approvals, Approver } from '../guard/approvals/approvals.ts';
import { has, type Rule } from '../lib/options/option-rules.ts';
import { isFilledString, isRecord } from '../lib/values/is.ts';

/** Approvals that the page shows. */
export interface InspectorApprovals {
  /** Those of your guard: `guarded.approvals`. */
  readonly from: Approvals;
  /** The user as whom the page decides. Everyone with the link of the page is this user. */
  readonly approver: Approver;
}

export const nameOfApprover = ({ approver }: InspectorApprovals): string =>
  typeof approver === 'string' ? approver : approver.subject;

export const inspectorApprovals: Rule = {
  holds: (value) =>
    isRecord(value) &&
    has(value.from, 'list') &&
    has(value.from, 'decide') &&
    (isFilledString(value.approver) || (isRecord(value.approver) && isFilledString(value.approver.subject))),
  must: 'be { from: guarded.approvals, approver } with a name, or issuer and subject',
};
