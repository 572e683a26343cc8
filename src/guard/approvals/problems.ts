/** What approvers get instead of a decision. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { type Approval, isApprovalId } from './approval.ts';

/** The same for one that does not exist and one of others: an ID reveals nothing. */
export const notFound = (id: string): TenonError =>
  new TenonError('approval-not-found', `There is no approval ${shownId(id)} that you may decide.`, {
    hint: 'It may have expired: the next call requests another one.',
  });

export const ownCall = (id: string): TenonError =>
  new TenonError('permission-denied', `The approval ${shownId(id)} is for your own call: another person decides it.`, {
    details: { approval: id },
  });

export const alreadyDecided = (id: string, state: Approval['state']): TenonError =>
  new TenonError('approval-decided', `The approval ${shownId(id)} was decided before: it is ${state}.`, {
    details: { approval: id, state },
  });

/** What a person or a program passed may be anything. */
const shownId = (id: string): string => (isApprovalId(id) ? id : '(not an ID)');
