/** The `data` of errors: which field is wrong and why, and marks that say whether the call was executed. */

import { isRecord } from '../lib/values/is.ts';
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

/** For a call that was running when the server closed: it may or may not have been executed. */
export const cutOffData = Object.freeze({ outcome: 'unknown' });

/** Whether the `data` of an error has the mark. */
export const isCutOffData = (data: unknown): boolean => isRecord(data) && data.outcome === cutOffData.outcome;

/** For a call that may run only once and lost its outcome: a repeat gets the same error. */
export const outcomeLostData = Object.freeze({ ...cutOffData, retry: false });

/** Whether the `data` of an error has the mark. */
export const isOutcomeLostData = (data: unknown): boolean =>
  isCutOffData(data) && (data as { retry?: unknown }).retry === false;

/** For a call that was refused before it began: it may be sent again. */
export const notStartedData = Object.freeze({ outcome: 'not-started' });

/** Whether the `data` of an error has the mark. */
export const isNotStartedData = (data: unknown): boolean => isRecord(data) && data.outcome === notStartedData.outcome;
