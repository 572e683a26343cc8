/** The `data` of an error about wrong params: the field, the reason, and all of it as one text. */
import { type Issue, issuesText, pathText, shorten } from '../schema/issues.ts';

export interface ErrorDetails {
  /** The field that is wrong; absent if it is the whole. */
  readonly field?: string;
  readonly reason: string;
  readonly details: string;
}

const maxField = 100;

export const errorDetails = (field: string, reason: string, details?: string): ErrorDetails => ({
  ...(field !== '' && { field: shorten(field, maxField) }),
  reason,
  details: details ?? (field === '' ? reason : `${shorten(field, maxField)}: ${reason}`),
});

/** The first issue by field and reason, and all issues as a text. */
export function issueDetails(issues: readonly Issue[]): ErrorDetails {
  const [first = { path: [], message: 'not valid' }] = issues;
  return errorDetails(pathText(first.path), issuesText([{ path: [], message: first.message }]), issuesText(issues));
}
