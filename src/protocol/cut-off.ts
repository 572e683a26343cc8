/** Marks in the `data` of an error that say whether its call was executed. */
import { isRecord } from '../lib/values/is.ts';

/** Of a call that was running when the server closed: whether it was executed is unknown. */
export const cutOffData = Object.freeze({ outcome: 'unknown' });

/** Whether the `data` of an error has the mark. */
export const isCutOffData = (data: unknown): boolean => isRecord(data) && data.outcome === cutOffData.outcome;

/** Of a call that may run once, whose outcome was lost: sent again, it gets the same error. */
export const outcomeLostData = Object.freeze({ ...cutOffData, retry: false });

/** Whether the `data` of an error has the mark. */
export const isOutcomeLostData = (data: unknown): boolean =>
  isCutOffData(data) && (data as { retry?: unknown }).retry === false;

/** Of a call that was refused before it was begun: any call may be sent again. */
export const notStartedData = Object.freeze({ outcome: 'not-started' });

/** Whether the `data` of an error has the mark. */
export const isNotStartedData = (data: unknown): boolean => isRecord(data) && data.outcome === notStartedData.outcome;
