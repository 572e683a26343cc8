/** Who may decide about an approval: the caller itself, or another principal that the rules name. Never the caller in place of another. */
import { isNamed, type RuleApprover } from '../../ports/approval.ts';
import type { ApprovalRecord, Decider } from './approval.ts';

type Asked = Pick<ApprovalRecord, 'caller' | 'requester'>;

/** Whether a decision of this principal satisfies rules that ask for these approvers. */
export function mayDecide(by: Decider, asked: Asked, approvers: readonly RuleApprover[]): boolean {
  if (by.operator !== undefined) return true;
  if (approvers.length === 0) return isCaller(by, asked);
  return !mayBeCaller(by, asked) && approvers.every((one) => isNamed(one, by));
}

/** The same principal. Callers without one are not known, so that none of them is the caller. */
export const isCaller = (by: Decider, { caller }: Asked): boolean =>
  by.operator === undefined && caller !== '' && by.key === caller;

/** The same person, as far as it can be excluded: a name without an issuer may be that of any. */
function mayBeCaller(by: Decider, asked: Asked): boolean {
  if (isCaller(by, asked)) return true;
  const { requester } = asked;
  if (by.operator !== undefined || requester === undefined || by.subject !== requester.subject) return false;
  return by.issuer === requester.issuer || by.issuer === '' || requester.issuer === '';
}

/** Who may read an approval: who may decide, and its caller. */
export const mayRead = (by: Decider, record: ApprovalRecord): boolean =>
  isCaller(by, record) || mayDecide(by, record, record.approvers);
